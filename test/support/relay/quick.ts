import type { Settings } from '../../../relay/settings';
import { RETRY, WAITS } from '../../../relay/waits';

/** Settings of a relay that retries, probes and looks for changes of other processes within a second. */
export const QUICK = {
	retry: {
		...RETRY,
		schedule: [0.2, 0.3, 0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256],
		optOutSchedule: [0.2, 0.3, 0.5, 1],
		probes: [0.3, 0.5, 1],
	},
	waits: {
		...WAITS,
		afterEarlier: 50,
		subscriptions: 200,
		killedJobs: 1_000,
	},
} satisfies Partial<Settings>;

/** The same retries and probes for the environment of a process. */
export const QUICK_ENV = {
	RELAY_RETRY_SCHEDULE: QUICK.retry.schedule.join(),
	RELAY_PROBES: QUICK.retry.probes.join(),
};

/** Settings of a relay whose failed deliveries and paused receivers wait until something brings them forward. */
export const PATIENT = {
	...QUICK,
	retry: { ...QUICK.retry, schedule: [7_200], probes: [7_200] },
} satisfies Partial<Settings>;
