import type { Relay } from '../relay';
import type { Caller } from './caller';

/** The variables of a request. */
export interface HonoEnv {
	Variables: {
		/** Waits for the database to be open, for up to ten seconds. */
		relay: () => Promise<Relay>;
		/** Aborted when the relay stops, so that endless responses end. */
		stopping: AbortSignal;
		/** Set on routes below `/v1`. */
		caller: Caller;
	};
}
