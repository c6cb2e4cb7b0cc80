import type { HttpBindings } from '@hono/node-server';

/** Node's own request and response, because faults close the socket. */
export interface HonoEnv {
	readonly Bindings: HttpBindings;
}
