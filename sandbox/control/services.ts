import type { Faults } from '../simulation/faults';
import type { RateLimit } from '../simulation/rateLimit';
import type { Scheduler } from '../simulation/scheduler';
import type { Phones } from '../gateway/phones';
import type { RequestLog } from '../http/requestLog';
import type { Services } from '../services';

/** What the control routes look at and change. */
export interface ControlServices extends Services {
	/** The key that the sandbox was started with; a reset brings it back. */
	readonly apiKey: string;
	readonly phones: Phones;
	readonly work: Scheduler;
	/** Resolves when nothing is due and nothing is being posted. */
	readonly settle: () => Promise<void>;
	readonly faults: Faults;
	readonly rateLimit: RateLimit;
	readonly journal: RequestLog;
}
