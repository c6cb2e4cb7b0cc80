import type { Clock } from './simulation/clock';
import type { Store } from './store/store';

/** What most of the sandbox works with. */
export interface Services {
	readonly store: Store;
	readonly clock: Clock;
	/** Where the sandbox is, without a slash at the end. */
	readonly url: string;
	/** Aborted when the sandbox stops. */
	readonly stopping: AbortSignal;
}
