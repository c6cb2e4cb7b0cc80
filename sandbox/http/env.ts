import type { HttpBindings } from '@hono/node-server';

/** What a request brings from below HTTP: Node's own request and answer, whose socket a fault may break. */
export interface HonoEnv {
	readonly Bindings: HttpBindings;
}
