/** When failed deliveries are attempted again, and when their receiver is left alone. All times are in seconds. */
export interface Retry {
	/** After the first, second, ... failed attempt. The delivery has failed for good after the last one. */
	readonly schedule: readonly number[];
	/** The same for an opt-out to the service, which has to arrive soon after the service is back. The last one repeats. */
	readonly optOutSchedule: readonly number[];
	/** Until the first, second, ... probe of a paused receiver. The last one repeats. */
	readonly probes: readonly number[];
}

/** Three days in all, and probes within five minutes. */
export const RETRY: Retry = {
	schedule: [5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 28_800, 43_200, 64_800, 86_400],
	optOutSchedule: [5, 30, 120, 240],
	probes: [5, 15, 30, 60, 120, 300],
};

/** Time limits, and how often the relay looks for something. In milliseconds. */
export interface Waits {
	/**
	 * How long a statement may take. A server that is gone without a word would otherwise hold the connection until TCP gives
	 * up, for about 15 minutes. No statement takes nearly as long, apart from migrations.
	 */
	readonly statement: number;
	/** How long a receiver or the previous callback URL may take to respond. */
	readonly response: number;
	/** How long a delivery waits after an earlier one of its message. */
	readonly afterEarlier: number;
	/** Between two looks for subscriptions that other processes changed. */
	readonly subscriptions: number;
	/** Between two rounds of maintenance, which remove old rows. */
	readonly maintenance: number;
	/** Between two looks for jobs whose announcement was lost. Announced ones start sooner. */
	readonly jobs: number;
	/** Between two looks for jobs of killed processes, and for queues of other processes. */
	readonly killedJobs: number;
}

/** The waits of a relay. Only tests use shorter ones. */
export const WAITS: Waits = {
	statement: 30_000,
	response: 10_000,
	afterEarlier: 1_000,
	subscriptions: 2_000,
	maintenance: 60_000,
	jobs: 30_000,
	killedJobs: 10_000,
};
