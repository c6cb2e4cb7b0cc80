import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod/v4';

const call = z.object({ id: z.unknown(), method: z.string(), params: z.array(z.unknown()) });
const setParams = z.tuple([
	z.string(),
	z.string(),
	z.number().nullable(),
	z.array(z.string()).nullable(),
	z.boolean().nullable(),
]);

/** How Zapier's store behaves; `kept` unless told. */
export type CacheMood = 'kept' | 'down' | 'forgetful' | 'silent' | 'deaf to nx' | 'down after a claim';

/** The store behind `z.cache`, which Zapier's servers have and Zapier's core asks over HTTP. */
export interface CacheServer extends AsyncDisposable {
	readonly rpcBase: string;
	/** What is kept, as JSON text, by key. */
	readonly entries: Map<string, string>;
	/** Seconds and scope of every set, in order. */
	readonly sets: Array<{ readonly ttl: number | null; readonly scope: readonly string[] | null }>;
	mood: CacheMood;
}

/**
 * Starts a store with what is known of Zapier's: JSON values by key, `nx` that sets only what is not there, and the
 * answers that the types of the core name. How long and how surely the real one keeps a value is not published.
 */
export async function cacheServer(): Promise<CacheServer> {
	// Zapier's core asks no store without this.
	process.env.ZAPIER_DEPLOY_KEY = 'test';
	const entries = new Map<string, string>();
	const sets: CacheServer['sets'] = [];
	const store: { mood: CacheMood } = { mood: 'kept' };

	function result(method: string, params: unknown[]): unknown {
		const key = z.string().parse(params[0]);
		if (method === 'zcache_get') {
			const value = entries.get(key) ?? null;
			if (value !== null && store.mood === 'down after a claim') store.mood = 'down';
			return value;
		}
		if (method === 'zcache_delete') return entries.delete(key);
		const [, value, ttl, scope, nx] = setParams.parse(params);
		sets.push({ ttl, scope });
		if (store.mood === 'forgetful') return true;
		if (nx && entries.has(key) && store.mood !== 'deaf to nx') return null;
		entries.set(key, value);
		return true;
	}

	const server = createServer((request, response) => {
		let body = '';
		request.setEncoding('utf8').on('data', (part: string) => (body += part));
		request.on('end', () => {
			if (store.mood === 'silent') return;
			if (store.mood === 'down') {
				response.writeHead(503).end();
				return;
			}
			const { id, method, params } = call.parse(JSON.parse(body));
			response
				.setHeader('Content-Type', 'application/json')
				.end(JSON.stringify({ id, result: result(method, params) }));
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	return {
		rpcBase: `http://127.0.0.1:${port}/rpc`,
		entries,
		sets,
		get mood() {
			return store.mood;
		},
		set mood(mood) {
			store.mood = mood;
		},
		[Symbol.asyncDispose]: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
