import { contract, type Contract } from '../contract';
import type { Endpoint, InputOf, OutputOf } from '../contract/endpoint';
import { nowOf, type Transport } from '../transport';
import { call, callWithResponse } from './call';
import type { CallOptions, Connection } from './connection';
import { checkKey, type KeyCheck } from './checkKey';
import { InputError, type InputIssue } from './errors';
import type { Query } from './nextPage';
import type { Outcome } from './outcome';
import { checkRelay, type RelayCheck } from './relayProof';
import { eachTransaction, readAll, type ListedTransaction, type Listing, type ReadAllOptions } from './pages';
import { apiKeyIssue, authHeaders, buildRequest, parseBaseUrl, type AuthHeader } from './request';
import { defaultRetryPolicy, type RetryPolicy } from './retry';

/**
 * Options of a client.
 * @example
 * const options: ClientOptions = { baseUrl: 'https://sms.example', apiKey: key, transport: undiciTransport() };
 */
export interface ClientOptions {
	/** Address of the service (docs/api.md#base-url). Completed if it does not end in `/api/v1/`. */
	readonly baseUrl: string;
	/** Key from the dashboard; begins with `sk_`. */
	readonly apiKey: string;
	readonly transport: Transport;
	/** Time limit of one attempt, in milliseconds. Default: 30,000. */
	readonly timeoutMs?: number;
	/** Header that carries the key. Default: `X-API-Key`. `host` if the transport adds the header itself. */
	readonly authHeader?: AuthHeader | 'host';
	/** Whether a sandbox key may go over plain http to another machine. Default: true. */
	readonly sandboxOverHttp?: boolean;
	/** Whether plain http to a private address is allowed, too, such as that of a relay in the same network. Default: false. */
	readonly privateOverHttp?: boolean;
	/**
	 * Whether the base URL is that of a relay (docs/relay.md#sends-once). Calls that may cost something then have an
	 * idempotency key, and a lost connection is retried. Default: false. Without it, no header or field is ever added.
	 */
	readonly relay?: boolean;
	/** Overrides of {@link defaultRetryPolicy}. */
	readonly retry?: Partial<RetryPolicy>;
}

type Method<E extends Endpoint> =
	Record<string, never> extends InputOf<E>
		? (input?: InputOf<E>, options?: CallOptions) => Promise<OutputOf<E>>
		: (input: InputOf<E>, options?: CallOptions) => Promise<OutputOf<E>>;

/** A method for each endpoint of the contract, with the docstring of the endpoint. */
type Methods = {
	readonly [R in keyof Contract]: {
		readonly [O in keyof Contract[R]]: Contract[R][O] extends Endpoint ? Method<Contract[R][O]> : never;
	};
};

/**
 * An endpoint that lists without an input, so that only its responses name further pages.
 * @example const endpoint: ListEndpoint = contract.contact.list;
 */
export type ListEndpoint = Contract['contact']['list'] | Contract['senderId']['list'];

/** A row of a list. */
type RowOf<E extends ListEndpoint> = OutputOf<E>[number];

/**
 * A client of the service (docs/api.md): every endpoint of the contract as `client.resource.operation(input, { signal })`.
 * @example const { status } = await client.sms.get({ id: 'msg_0001' });
 */
export interface Client extends Methods {
	/** Makes a call and returns its outcome as a value instead of throwing; see {@link call}. */
	call<E extends Endpoint>(endpoint: E, input: InputOf<E>, options?: CallOptions): Promise<Outcome<OutputOf<E>>>;
	/** Tests the API key with a call that costs nothing; see {@link checkKey}. */
	checkKey(options?: CallOptions): Promise<KeyCheck>;
	/** Checks that the base URL is that of a relay; see {@link checkRelay}. Needs the option `relay`. */
	checkRelay(options?: Pick<CallOptions, 'signal' | 'waitSignal'>): Promise<RelayCheck>;
	/**
	 * Reads all pages of a list; see {@link readAll}. The endpoint's own method reads only the first page.
	 * `const read = await client.readAll(contract.contact.list)`
	 */
	readAll<E extends ListEndpoint>(endpoint: E, options?: ReadAllOptions<RowOf<E>>): Promise<Outcome<Listing<RowOf<E>>>>;
	/** Reads all wallet transactions, newest first; see {@link eachTransaction}. */
	eachTransaction(options?: CallOptions): AsyncGenerator<ListedTransaction, void, undefined>;
}

const DEFAULT_TIMEOUT_MS = 30_000;

/** Maximum of a timer, in milliseconds. With more it fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

function timeoutIssue(timeoutMs: number): InputIssue | undefined {
	if (timeoutMs >= 1 && timeoutMs <= LONGEST_TIMER_MS) return undefined;
	return { field: 'timeoutMs', message: `is not a time from 1 to ${LONGEST_TIMER_MS} milliseconds` };
}

/** A connection whose calls, with their retries, end within the given time. */
function within(connection: Connection, timeLeftMs: number): Connection {
	const { timeoutMs, retry } = connection;
	const budgetMs = Math.min(retry.budgetMs, timeLeftMs);
	// A host's timer accepts only whole milliseconds.
	const wholeMs = Math.max(1, Math.floor(Math.min(timeoutMs, timeLeftMs)));
	return { ...connection, timeoutMs: wholeMs, retry: { ...retry, budgetMs } };
}

/**
 * Makes the method `resource.operation(input, options)` of every endpoint of the contract.
 * @param makeCall makes the call and returns its outcome
 * @returns methods that throw the error of every call that was not accepted
 * @example const { sms } = bindEndpoints(client.call); // sms.send(input) throws instead of returning an outcome
 */
export function bindEndpoints(makeCall: Client['call']): Methods {
	const method =
		(endpoint: Endpoint) =>
		async (input: InputOf<Endpoint> = {}, options?: CallOptions) => {
			const result = await makeCall(endpoint, input, options);
			if (result.outcome === 'accepted') return result.output;
			throw result.error;
		};
	const resources = Object.entries<Record<string, Endpoint>>(contract).map(([resource, operations]) => {
		const bound = Object.entries(operations).map(([operation, endpoint]) => [operation, method(endpoint)] as const);
		return [resource, Object.fromEntries(bound)] as const;
	});
	const methods: object = Object.fromEntries(resources);
	// The compiler cannot follow the loop: test/shared/endpoints.test.ts calls each method.
	return methods as Methods;
}

/**
 * Creates a client. Its methods throw a `ServiceError` for every call that was not accepted.
 * @throws InputError if the base URL, the key or the timeout is not valid; no request is made
 * @example
 * const client = createClient({ baseUrl: 'https://sms.example', apiKey: key, transport: undiciTransport() });
 * const sent = await client.sms.send({ to: '+233201234567', sender_id: 'KOFISHOP', message: 'We are open' });
 */
export function createClient(options: ClientOptions): Client {
	const { apiKey, authHeader = 'X-API-Key', timeoutMs = DEFAULT_TIMEOUT_MS } = options;
	const base = parseBaseUrl(options.baseUrl, apiKey, options);
	const found = [apiKeyIssue(apiKey), 'issue' in base ? base.issue : undefined, timeoutIssue(timeoutMs)];
	const issues = found.filter((issue) => issue !== undefined);
	if (issues.length > 0 || 'issue' in base) throw new InputError('client', issues);
	const given = Object.entries(options.retry ?? {}).filter(([, value]) => Number.isFinite(value));
	const connection: Connection = {
		transport: options.transport,
		baseUrl: base.baseUrl,
		headers: authHeader === 'host' ? {} : authHeaders(apiKey, authHeader),
		timeoutMs,
		retry: { ...defaultRetryPolicy, ...Object.fromEntries(given) },
		secrets: [apiKey.trim()],
		history: { keyWorked: false },
		...(options.relay === true && { relay: { proofs: new Map() } }),
	};
	const callEndpoint: Client['call'] = (endpoint, input, callOptions) => call(connection, endpoint, input, callOptions);
	const methods = bindEndpoints(callEndpoint);
	return {
		...methods,
		call: callEndpoint,
		readAll: async <E extends ListEndpoint>(endpoint: E, readOptions: ReadAllOptions<RowOf<E>> = {}) => {
			const { url } = buildRequest(endpoint, {}, connection.baseUrl, timeoutMs);
			const readPage = async (query: Query, timeLeftMs: number) =>
				await callWithResponse(within(connection, timeLeftMs), endpoint, {}, readOptions, query);
			return await readAll<RowOf<E>>(endpoint, url, readPage, () => nowOf(connection.transport), readOptions);
		},
		checkKey: (callOptions) => checkKey(connection, callOptions),
		checkRelay: (callOptions) => checkRelay(connection, callOptions),
		eachTransaction: (callOptions) => eachTransaction((input) => methods.wallet.listTransactions(input, callOptions)),
	};
}
