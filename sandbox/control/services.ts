import type { Faults } from '../behaviour/faults';
import type { RateLimit } from '../behaviour/rateLimit';
import type { Work } from '../behaviour/work';
import type { Phones } from '../gateway/phones';
import type { Journal } from '../http/journal';
import type { Services } from '../services';

/** What the control routes look at and change. */
export interface ControlServices extends Services {
	/** The key that the sandbox was started with; a reset brings it back. */
	readonly apiKey: string;
	readonly phones: Phones;
	readonly work: Work;
	/** Resolves when nothing is due and nothing is being posted. */
	readonly settle: () => Promise<void>;
	readonly faults: Faults;
	readonly rateLimit: RateLimit;
	readonly journal: Journal;
}
