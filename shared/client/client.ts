import { contract, type Contract } from '../contract';
import type { Endpoint, InputOf, OutputOf } from '../contract/endpoint';
import type { Transport } from '../transport';
import { call, type CallOptions, type Connection } from './call';
import { InputError } from './errors';
import type { Outcome } from './outcome';
import { apiKeyIssue, authHeaders, parseBaseUrl, type AuthHeader } from './request';
import { defaultRetryPolicy, type RetryPolicy } from './retry';

/** What a client is made from. */
export interface ClientOptions {
	/** Address of the service; completed to end in `/api/v1/` where it does not. */
	readonly baseUrl: string;
	/** Key from the dashboard, begins with `sk_`. */
	readonly apiKey: string;
	readonly transport: Transport;
	/** Longest time for one attempt, in milliseconds; 30,000 unless given. */
	readonly timeoutMs?: number;
	/** Header that carries the key, `X-API-Key` unless given; `host` where the transport adds it by itself. */
	readonly authHeader?: AuthHeader | 'host';
	/** What differs from {@link defaultRetryPolicy}. */
	readonly retry?: Partial<RetryPolicy>;
}

type Method<E extends Endpoint> =
	Record<string, never> extends InputOf<E>
		? (input?: InputOf<E>, options?: CallOptions) => Promise<OutputOf<E>>
		: (input: InputOf<E>, options?: CallOptions) => Promise<OutputOf<E>>;

type Resources = {
	readonly [R in keyof Contract]: {
		readonly [O in keyof Contract[R]]: Contract[R][O] extends Endpoint ? Method<Contract[R][O]> : never;
	};
};

/** A client of the service: every endpoint of the contract as `client.resource.operation(input, { signal })`. */
export interface Client extends Resources {
	/** Makes a call and tells its outcome as a value instead of throwing; see {@link call}. */
	call<E extends Endpoint>(endpoint: E, input: InputOf<E>, options?: CallOptions): Promise<Outcome<OutputOf<E>>>;
}

const DEFAULT_TIMEOUT_MS = 30_000;

/**
 * Makes a client. Its methods throw a `ServiceError` for every call that was not accepted.
 * @throws InputError where the base URL or the key cannot be right; nothing is sent
 */
export function createClient(options: ClientOptions): Client {
	const { apiKey, authHeader = 'X-API-Key' } = options;
	const base = parseBaseUrl(options.baseUrl, apiKey);
	const issues = [apiKeyIssue(apiKey), 'issue' in base ? base.issue : undefined].filter((issue) => issue !== undefined);
	if (issues.length > 0 || 'issue' in base) throw new InputError('client', issues);
	const connection: Connection = {
		transport: options.transport,
		baseUrl: base.baseUrl,
		headers: authHeader === 'host' ? {} : authHeaders(apiKey, authHeader),
		timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
		retry: { ...defaultRetryPolicy, ...options.retry },
	};
	const method =
		<E extends Endpoint>(endpoint: E) =>
		async (input: InputOf<E>, callOptions?: CallOptions): Promise<OutputOf<E>> => {
			const result = await call(connection, endpoint, input, callOptions);
			if (result.outcome === 'accepted') return result.output;
			throw result.error;
		};
	const { getBalance } = contract.wallet;
	const { list: listSenderIds } = contract.senderId;
	return {
		call: (endpoint, input, callOptions) => call(connection, endpoint, input, callOptions),
		sms: { send: method(contract.sms.send), get: method(contract.sms.get) },
		message: { get: method(contract.message.get) },
		wallet: { getBalance: (input = {}, callOptions) => method(getBalance)(input, callOptions) },
		senderId: { list: (input = {}, callOptions) => method(listSenderIds)(input, callOptions) },
	};
}
