import { createClient, errorText, InputError, type Transport } from '../../shared/index';
import type { Database } from '../database/database';
import type { GatewayCall } from './call';
import type { Digest } from './digests';

/** Whether the service knows an API key. */
export type KeyProof =
	| { readonly kind: 'known' }
	/** The service rejects it, with this text for the caller. */
	| { readonly kind: 'rejected'; readonly message: string }
	/** The service did not respond clearly. */
	| { readonly kind: 'unproved' };

/** The API keys that the service accepted, as digests. */
export interface ApiKeys {
	digestOf(call: GatewayCall): string;
	/** Notes what the service's status says about the caller's key. */
	note(call: GatewayCall, status: number, isAccepted: boolean): Promise<void>;
	/**
	 * Whether a caller may learn about earlier sends: the service accepted its key before, or accepts it now, in a call
	 * that costs nothing.
	 */
	prove(call: GatewayCall): Promise<KeyProof>;
}

/** How long the service may take to prove a key, in milliseconds. */
const PROVE_MS = 10_000;

/**
 * Creates the memory of API keys.
 * @param transport for the call that proves a key
 */
export function createApiKeys(
	{
		database,
		digest,
		serviceUrl,
	}: { readonly database: Database; readonly digest: Digest; readonly serviceUrl: string },
	transport: Transport,
): ApiKeys {
	// Saves a write for each call. Another process may have forgotten the key since, which only costs one more proof.
	const noted = new Set<string>();
	const proofs = new Map<string, Promise<KeyProof>>();
	const digestOf = ({ apiKey }: GatewayCall) => digest('api-key', apiKey.value);

	async function remember(key: string): Promise<void> {
		if (noted.has(key)) return;
		await database.query(
			`insert into relay.api_key (digest, accepted_at) values ($1, clock_timestamp()) on conflict (digest) do nothing`,
			[key],
		);
		noted.add(key);
	}

	async function forget(key: string): Promise<void> {
		noted.delete(key);
		await database.query('delete from relay.api_key where digest = $1', [key]);
	}

	async function askService({ apiKey }: GatewayCall, key: string): Promise<KeyProof> {
		try {
			const client = createClient({
				baseUrl: serviceUrl,
				apiKey: apiKey.value,
				authHeader: apiKey.header,
				transport,
				timeoutMs: PROVE_MS,
				retry: { attempts: 1 },
			});
			const check = await client.checkKey();
			if (check.known) {
				await remember(key);
				return { kind: 'known' };
			}
			const { status = 0 } = check.error;
			const isRejected = status >= 200 && status < 500 && status !== 408 && status !== 429;
			return isRejected ? { kind: 'rejected', message: errorText(check.error) } : { kind: 'unproved' };
		} catch (error) {
			if (error instanceof InputError) return { kind: 'rejected', message: errorText(error) };
			throw error;
		}
	}

	return {
		digestOf,
		async note(call, status, isAccepted) {
			if (isAccepted) await remember(digestOf(call));
			else if (status === 401) await forget(digestOf(call));
		},
		async prove(call) {
			const key = digestOf(call);
			const [row] = await database.query('select 1 as one from relay.api_key where digest = $1', [key]);
			if (row) return { kind: 'known' };
			// Many callers with one new key share the proof.
			const proof = proofs.get(key) ?? askService(call, key).finally(() => proofs.delete(key));
			proofs.set(key, proof);
			return await proof;
		},
	};
}
