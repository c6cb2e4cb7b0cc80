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
	/** How long a receiver or the previous callback URL may take to respond. */
	readonly response: number;
	/** How long a delivery waits after an earlier one of its message. */
	readonly afterEarlier: number;
	/** Between two looks for subscriptions that other processes changed. */
	readonly subscriptions: number;
	/** Between two looks for ended subscriptions that Zapier has to learn about. */
	readonly farewells: number;
	/** Between two looks for jobs of killed processes, and for queues of other processes. */
	readonly killedJobs: number;
	/** After the time limit of a call to the service, until other processes see it as unknown. Its outcome is written before. */
	readonly outcomeGrace: number;
	/** Until an open page reads all lists again, because other processes do not announce their changes to it. */
	readonly page: number;
	/** How long requests to the relay may take when it stops. */
	readonly stop: number;
}

/** The waits of a relay. Only tests use shorter ones. */
export const WAITS: Waits = {
	response: 10_000,
	afterEarlier: 1_000,
	subscriptions: 2_000,
	farewells: 10_000,
	killedJobs: 10_000,
	outcomeGrace: 10_000,
	page: 5_000,
	stop: 10_000,
};
