import type { Fault, Faults } from '../simulation/faults';
import type { RateLimit } from '../simulation/rateLimit';
import type { Scheduler } from '../simulation/scheduler';
import type { Phones } from '../gateway/phones';
import type { RequestLog } from '../http/requestLog';
import type { Services } from '../services';

/** Services that the control routes read and change. */
export interface ControlServices extends Services {
	/** API key that the sandbox was started with. A reset restores it. */
	readonly apiKey: string;
	/** Faults that a new sandbox starts with. A reset restores them. */
	readonly seededFaults: readonly Fault[];
	readonly phones: Phones;
	readonly work: Scheduler;
	/** Resolves when nothing is due and no webhook is in flight. */
	readonly settle: () => Promise<void>;
	readonly faults: Faults;
	readonly rateLimit: RateLimit;
	readonly requestLog: RequestLog;
}
