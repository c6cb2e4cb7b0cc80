import type { Bundle, ZObject } from 'zapier-platform-core';
import {
	bindEndpoints,
	contract,
	createClient,
	errorText,
	InputError,
	NOTHING_CHARGED,
	ServiceError,
	timedOut,
	TransportError,
	type Client,
	type Labels,
	type RetryPolicy,
	type Transport,
} from '../../shared';
import { trimSecrets } from './apiKey';
import { readBaseUrl } from './baseUrl';
import { isBaseUrlRelay } from './baseUrlIsRelay';
import { EDITION } from './edition';
import { haltIfLate, toZapierError, withoutBundle } from './errors';
import { textInput } from './inputs';
import { zapierTransport } from './transport';

/** Timeout of a call, in milliseconds. Zapier ends a step after 30 seconds; the rest is for starting and reporting. */
export const TIMEOUT_MS = 25_000;

/** The parts of an input field that a step needs. */
interface NamedField {
	readonly key: string;
	readonly label?: string;
}

/** Options of a step. */
interface StepOptions {
	/** Whether a rerun hours later would be useless, as for a one-time code; see {@link haltIfLate}. */
	readonly neverLate?: boolean;
}

/**
 * Runs a step, and converts our errors to Zapier's, with the labels of the step's fields. No error carries the user's
 * input into Zapier's log.
 * @param fields of the step; dynamic ones may be left out
 * @throws z.errors.* as `toZapierError` chooses
 */
export async function runStep<Result>(
	z: ZObject,
	bundle: Pick<Bundle, 'authData' | 'inputData' | 'meta'>,
	fields: readonly (NamedField | ((...parameters: never[]) => unknown))[],
	work: () => Result | Promise<Result>,
	{ neverLate = false }: StepOptions = {},
): Promise<Result> {
	const began = performance.now();
	try {
		return await work();
	} catch (error) {
		if (!(error instanceof ServiceError)) throw withoutBundle(neverLate ? haltIfLate(z, error) : error);
		const labels = labelsOf(fields);
		const keyed = textInput(bundle.inputData.send_once_key) !== '' && !bundle.meta.isLoadingSample;
		const keptBy = keyed ? labels.send_once_key : undefined;
		const keyWorks =
			error.status === 401 && !(await isKeyRejected(z, bundle, TIMEOUT_MS - (performance.now() - began)));
		const byRelay = isBaseUrlRelay(bundle.authData);
		const ending = toZapierError(z, error, { labels, keptBy, byRelay, keyWorks });
		// After an unknown outcome, a replay does not send. The error only notifies the Zap's owner.
		throw withoutBundle(neverLate && error.sent === 'no' ? haltIfLate(z, ending) : ending);
	}
}

/**
 * Runs a trigger or a free search. It never sends or charges, so its errors leave out {@link NOTHING_CHARGED}.
 * @throws as {@link runStep}
 */
export const runReading: typeof runStep = async (...parameters) =>
	await runStep(...parameters).catch((error: unknown) => {
		if (error instanceof Error) error.message = error.message.replace(` ${NOTHING_CHARGED}`, '');
		throw error;
	});

/** Shortest time in which the service can be expected to respond, in milliseconds. */
const LEAST_MS = 1_000;

/**
 * Whether the service rejects the API key, checked by reading the balance, which is free and changes nothing.
 * @param timeoutMs remaining time of the step, in milliseconds; if it is too short, the key counts as not rejected
 */
async function isKeyRejected(z: ZObject, bundle: Pick<Bundle, 'authData'>, timeoutMs: number): Promise<boolean> {
	if (timeoutMs < LEAST_MS) return false;
	const requested = await connect(z, bundle, timeoutMs).call(contract.wallet.getBalance, {});
	return requested.outcome !== 'accepted' && requested.error.status === 401;
}

function labelsOf(fields: readonly (NamedField | ((...parameters: never[]) => unknown))[]): Labels {
	const named = fields.filter((field): field is NamedField => typeof field !== 'function');
	return Object.fromEntries(named.map(({ key, label }) => [key, label ?? key]));
}

/**
 * Makes the result of a search: one row, or none if the record does not exist. Zapier expects an empty result instead of
 * an error, and lets the Zap's owner choose what to do then.
 */
export async function emptyIfNotFound<Row>(requested: Promise<Row>): Promise<Row[]> {
	try {
		return [await requested];
	} catch (error) {
		if (error instanceof ServiceError && error.meaning === 'not_found') return [];
		throw error;
	}
}

/** Retries for calls that only read, within 10 seconds. If the service asks for a longer wait, Zapier reruns the step. */
const READING: RetryPolicy = { attempts: 3, budgetMs: 10_000, baseMs: 500, longestWaitMs: 2_000 };

/** A call that sends is made once. */
const ONCE: Partial<RetryPolicy> = { attempts: 1 };

/** Retries of a call that sends through a relay, which recognizes them by their idempotency key. */
const THROUGH_RELAY: RetryPolicy = { attempts: 5, budgetMs: 20_000, baseMs: 500, longestWaitMs: 2_000 };

/**
 * Makes the client of the connected account. `addKey` in `apiKey.ts` adds the key. A call that sends, changes or costs
 * something is made once, and Zapier reruns the step if that is safe. Through a relay, it is repeated under its
 * idempotency key. A call that only reads gets up to three tries.
 * @param timeoutMs longest time for one call, and for all repeated calls together, in milliseconds
 * @param describe the text for a connection that cannot be used
 * @throws z.errors.Error if the base URL or the key is invalid; nothing is sent
 */
export function connect(
	z: ZObject,
	{ authData }: Pick<Bundle, 'authData'>,
	timeoutMs = TIMEOUT_MS,
	describe: (error: InputError) => string = errorText,
): Client {
	trimSecrets(authData);
	const transport = zapierTransport(z);
	const account = {
		baseUrl: authData.base_url ?? '',
		apiKey: authData.api_key ?? '',
		authHeader: 'host',
		sandboxOverHttp: EDITION.plainHttp === 'sandbox',
		timeoutMs,
		relay: isBaseUrlRelay(authData),
	} as const;
	const ending = endingAfter(timeoutMs, transport);
	try {
		const client = byRepeat(
			account.relay
				? createClient({ ...account, transport: ending, retry: THROUGH_RELAY })
				: createClient({ ...account, transport, retry: ONCE }),
			createClient({ ...account, transport: ending, retry: READING }),
		);
		// After the client, whose error also names a wrong key.
		const base = readBaseUrl(authData);
		if ('issue' in base) throw new InputError('client', [base.issue]);
		return client;
	} catch (error) {
		if (error instanceof InputError) throw new z.errors.Error(describe(error), 'InvalidConnection', 400);
		throw error;
	}
}

/** Combines two clients. Calls that are safe to repeat (`repeat: 'safe'` in the contract) use the second one. */
function byRepeat(once: Client, reading: Client): Client {
	const call: Client['call'] = async (endpoint, input, options) =>
		await (endpoint.repeat === 'safe' ? reading : once).call(endpoint, input, options);
	return {
		// Methods that read several pages make only reading calls.
		...reading,
		...bindEndpoints(call),
		call,
	};
}

/** Gives all requests together one timeout, in milliseconds from now. */
function endingAfter(timeoutMs: number, transport: Transport): Transport {
	const end = performance.now() + timeoutMs;
	return {
		...transport,
		send: async (request) => {
			const left = Math.min(request.timeoutMs, end - performance.now());
			if (left <= 0) throw timedOut(timeoutMs);
			return await transport.send({ ...request, timeoutMs: left }).catch((error: unknown) => {
				throw error instanceof TransportError && error.code === 'TIMEOUT' ? timedOut(timeoutMs) : error;
			});
		},
	};
}
