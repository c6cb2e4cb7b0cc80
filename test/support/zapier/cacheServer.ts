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

/** How the store behaves; `kept` by default. */
export type CacheMood = 'kept' | 'down' | 'forgetful' | 'silent' | 'ignoring nx' | 'down after a claim';

/** Stand-in for the store behind `z.cache`, which Zapier's core calls over HTTP. */
export interface CacheServer extends AsyncDisposable {
	readonly rpcBase: string;
	/** Stored values as JSON text, by key. */
	readonly entries: Map<string, string>;
	/** Lifetime in seconds and scope of every `set`, in order. */
	readonly sets: Array<{ readonly ttl: number | null; readonly scope: readonly string[] | null }>;
	mood: CacheMood;
}

/**
 * Starts a store with the known behavior of Zapier's: JSON values by key, `nx` that sets only absent keys, and the
 * responses in the types of Zapier's core. Zapier does not publish how long or how reliably it stores a value.
 */
export async function cacheServer(): Promise<CacheServer> {
	// Without this, Zapier's core calls no store.
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
		if (nx && entries.has(key) && store.mood !== 'ignoring nx') return null;
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
