import type { DeliveryOutcome } from '../delivery/outcomes';
import type { ActiveReceiver } from '../delivery/receivers';
import type { StoreEvent } from '../events/store';
import { logProblem } from '../log';

/** Makes an event of a forward that failed for good, so that workflows and the page can report it. */
export async function forwardFailure(
	store: StoreEvent,
	{ event, state, attempt }: DeliveryOutcome,
	{ kind, id }: ActiveReceiver,
): Promise<void> {
	if (state !== 'failed' || (kind !== 'service' && kind !== 'callback')) return;
	const data = { event: 'relay.forward_failed', event_id: event, subscription: id, error: attempt?.error ?? null };
	const body = Buffer.from(JSON.stringify(data));
	try {
		const common = { orderKey: null, urgent: false, party: null, contentType: 'application/json' };
		await store({ type: 'relay.forward_failed', data, body, ...common });
	} catch (error) {
		logProblem('A failed forward could not be reported', error);
	}
}
