/** The job of one delivery attempt. */
export interface DeliveryJob {
	readonly event: string;
	/** Attempts before this one. A job with fewer than its delivery is a leftover of a crash. */
	readonly attempt: number;
	/** Replays before this attempt. */
	readonly replay: number;
	/** `next_at` of the delivery when the job was made, in milliseconds since 1970. A job with another one is a leftover. */
	readonly next: number | null;
}

/** The job that makes the jobs of several subscriptions: event IDs by subscription. */
export type FanOutJob = Readonly<Record<string, ReadonlyArray<{ readonly event: string; readonly urgent: boolean }>>>;

/** The queue of jobs for several subscriptions. */
export const FAN_OUT_QUEUE = 'fan_out';

/** The queue of a subscription. A shared queue would be slow for all while one has a backlog. */
export function queueOf(subscription: string): string {
	return `to_${subscription}`;
}

/** Opt-outs leave before everything else. */
export const URGENT_PRIORITY = 10;
