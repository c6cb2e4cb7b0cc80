import type { Clock } from './behaviour/clock';
import type { Store } from './store/store';

/** What most of the sandbox works with. */
export interface Services {
	readonly store: Store;
	readonly clock: Clock;
}
