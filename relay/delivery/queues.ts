/** The job of one attempt of some deliveries. */
export interface DeliveryJob {
	readonly events: readonly string[];
	/** Version of the deliveries when the job was made. For a delivery with a higher one, the job is a leftover. */
	readonly version: number;
}

/** A delivery that has no job yet. */
export interface FirstDelivery {
	readonly event: string;
	readonly urgent: boolean;
	/** Size of the event's body. */
	readonly bytes: number;
}

/** The job that makes the jobs of several subscriptions: deliveries by subscription. */
export type FanOutJob = Readonly<Record<string, readonly FirstDelivery[]>>;

/** The queue of jobs for several subscriptions. */
export const FAN_OUT_QUEUE = 'fan_out';

/** The queue of a subscription. A shared queue would be slow for all while one has a backlog. */
export function queueOf(subscription: string): string {
	return `to_${subscription}`;
}

/** Opt-outs leave before everything else. */
export const URGENT_PRIORITY = 10;
