import type { IncomingEvent } from '../events/incoming';

/** A delivery that failed for good. */
export interface FailedDelivery {
	readonly subscription: string;
	/** Of the subscription. */
	readonly kind: string;
	/** The ID of its event. */
	readonly event: string;
	/** The error of the last attempt, if it has one. */
	readonly error: string | null;
}

/**
 * Makes the event of a forward that failed for good, so that workflows and the page can report it.
 * @returns undefined for a delivery to a subscriber
 */
export function forwardFailure({ subscription, kind, event, error }: FailedDelivery): IncomingEvent | undefined {
	if (kind !== 'service' && kind !== 'callback') return undefined;
	const data = { event: 'relay.forward_failed', event_id: event, subscription, error };
	return {
		type: 'relay.forward_failed',
		data,
		body: Buffer.from(JSON.stringify(data)),
		contentType: 'application/json',
		orderKey: null,
		urgent: false,
		party: null,
	};
}
