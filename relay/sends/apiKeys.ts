import { createClient, errorText, InputError, type Transport } from '../../shared/index';
import type { Database } from '../database/database';
import type { GatewayCall } from './call';
import type { Mode } from './mode';
import type { Digest } from './digests';
import type { Pace } from './pace';

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

/** How long the service may take to prove a key, and how long the proof may wait before, in milliseconds. */
const PROVE_MS = 10_000;

/**
 * Creates the memory of API keys. A proof is a request of the account too, so it waits for its turn.
 * @param transport for the call that proves a key
 */
export function createApiKeys(
	{
		database,
		digest,
		pace,
		serviceUrl,
		closing,
	}: {
		readonly database: Database;
		readonly digest: Digest;
		readonly pace: Pace;
		readonly serviceUrl: string;
		/** Ends the waits of proofs. */
		readonly closing: AbortSignal;
	},
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

	/** @returns whether it may leave now */
	async function waitForTurn(mode: Mode): Promise<boolean> {
		try {
			return (await pace.turn(mode, performance.now() + PROVE_MS, [closing])) === undefined;
		} catch {
			return false;
		}
	}

	async function askService({ apiKey, mode }: GatewayCall, key: string): Promise<KeyProof> {
		if (!(await waitForTurn(mode))) return { kind: 'unproved' };
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
			const { status = 0, retryAfterMs } = check.error;
			if (status === 429 && retryAfterMs !== undefined) pace.pause(mode, retryAfterMs);
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
