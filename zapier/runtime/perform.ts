import type { Bundle, ZObject } from 'zapier-platform-core';
import {
	createClient,
	InputError,
	type Client,
	type Endpoint,
	type InputOf,
	type Outcome,
	type OutputOf,
} from '../../shared';
import { explain } from './errors';
import { zapierTransport } from './transport';

/** Zapier ends a step after 30 seconds; what is left of them is for starting and for telling what happened. */
const TIMEOUT_MS = 25_000;

/**
 * Makes one call for a step with the connected account, once: Zapier itself tries again what may be tried again.
 * The key travels only in this request, to the base URL, and not in a middleware that any request would pass.
 * @returns what became of the call; `toZapierError` makes the error of one that was not accepted
 * @throws z.errors.Error where the base URL or the key cannot be right; nothing is sent
 */
export async function callService<E extends Endpoint>(
	z: ZObject,
	{ authData }: Pick<Bundle, 'authData'>,
	endpoint: E,
	input: InputOf<E>,
): Promise<Outcome<OutputOf<E>>> {
	return await connect(z, authData).call(endpoint, input);
}

function connect(z: ZObject, { base_url, api_key, header }: Bundle['authData']): Client {
	try {
		return createClient({
			baseUrl: base_url ?? '',
			apiKey: api_key ?? '',
			authHeader: header === 'Authorization' ? 'Authorization' : 'X-API-Key',
			transport: zapierTransport(z),
			timeoutMs: TIMEOUT_MS,
			retry: { attempts: 1 },
		});
	} catch (error) {
		if (error instanceof InputError) throw new z.errors.Error(explain(error), 'InvalidConnection', 400);
		throw error;
	}
}
