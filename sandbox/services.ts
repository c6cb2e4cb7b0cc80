import type { Clock } from './simulation/clock';
import type { Store } from './store/store';

/** Services that most parts of the sandbox use. */
export interface Services {
	readonly store: Store;
	readonly clock: Clock;
	/** URL of the sandbox, without a trailing slash. */
	readonly url: string;
	/** Aborted when the sandbox stops. */
	readonly stopping: AbortSignal;
}
