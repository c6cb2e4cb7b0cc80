import type { Bundle, ZObject } from 'zapier-platform-core';
import {
	contract,
	createClient,
	InputError,
	ServiceError,
	timedOut,
	TransportError,
	type Client,
	type RetryPolicy,
	type Transport,
} from '../../shared';
import { trimKey } from './apiKey';
import { errorText, haltIfLate, toZapierError, withoutBundle, type Labels } from './errors';
import { textInput } from './inputs';
import { SANDBOX_OVER_HTTP } from './sandboxOverHttp';
import { zapierTransport } from './transport';

/** Zapier ends a step after 30 seconds; what is left of them is for starting and for telling what happened. */
export const TIMEOUT_MS = 25_000;

/** What a step needs of an input field. */
interface NamedField {
	readonly key: string;
	readonly label?: string;
}

/** What is special about a step. */
interface StepOptions {
	/** Whether it is of no use if Zapier repeats it hours later, as a one-time code is; see {@link haltIfLate}. */
	readonly neverLate?: boolean;
}

/**
 * Runs what a step does, and makes Zapier's errors of ours, worded with the labels of the step's fields. No error takes
 * what a person filled in into Zapier's log.
 * @param fields of the step; those that depend on others may be left out
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
		const ending = toZapierError(z, error, { labels, keptBy, keyWorks });
		// A replay of what may have been sent does not send it: it only tells the owner.
		throw withoutBundle(neverLate && error.sent === 'no' ? haltIfLate(z, ending) : ending);
	}
}

/** Shortest time in which the service can be expected to respond, in milliseconds. */
const LEAST_MS = 1_000;

/**
 * Whether the service rejects the key of the account, by a call that is free and changes nothing.
 * @param timeoutMs what is left of the step's time, in milliseconds; with too little the key counts as not rejected
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
 * What a search gives: one row, or none where the service has no such record. Zapier asks for that instead of an error,
 * and lets the Zap's owner decide what follows.
 */
export async function emptyIfNotFound<Row>(requested: Promise<Row>): Promise<Row[]> {
	try {
		return [await requested];
	} catch (error) {
		if (error instanceof ServiceError && error.meaning === 'not_found') return [];
		throw error;
	}
}

/** Calls that only read are repeated within 10 seconds; a longer wait that the service asks for is left to Zapier. */
const READING: RetryPolicy = { attempts: 3, budgetMs: 10_000, baseMs: 500, longestWaitMs: 2_000 };

/**
 * Makes the client of the connected account. The key is added by `addKey` in `apiKey.ts`. A call that sends, changes or
 * costs something is made once: Zapier itself repeats it if that is safe. A call that only reads is made three times.
 * @param timeoutMs longest time for one call, and for all calls together that only read, in milliseconds
 * @throws z.errors.Error where the base URL or the key cannot be right; nothing is sent
 */
export function connect(z: ZObject, { authData }: Pick<Bundle, 'authData'>, timeoutMs = TIMEOUT_MS): Client {
	trimKey(authData);
	const transport = zapierTransport(z);
	const account = {
		baseUrl: authData.base_url ?? '',
		apiKey: authData.api_key ?? '',
		authHeader: 'host',
		sandboxOverHttp: SANDBOX_OVER_HTTP,
		timeoutMs,
	} as const;
	try {
		return byRepeat(
			createClient({ ...account, transport, retry: { attempts: 1 } }),
			createClient({ ...account, transport: endingAfter(timeoutMs, transport), retry: READING }),
		);
	} catch (error) {
		if (error instanceof InputError) throw new z.errors.Error(errorText(error), 'InvalidConnection', 400);
		throw error;
	}
}

/** One client of two: only the calls that may be repeated without risk (the contract's `safe`) are made by the second. */
function byRepeat(once: Client, reading: Client): Client {
	const { sms, verification, lookup, wallet, contact, whatsapp, email, voice } = once;
	return {
		// What reads several pages is made of reading calls.
		...reading,
		call: async (endpoint, input, options) =>
			await (endpoint.repeat === 'safe' ? reading : once).call(endpoint, input, options),
		map: (endpoint, inputs, options) => once.map(endpoint, inputs, options),
		sms: { ...sms, get: reading.sms.get },
		verification,
		lookup,
		wallet: { ...reading.wallet, createTopUp: wallet.createTopUp },
		contact: { ...reading.contact, create: contact.create },
		whatsapp,
		email,
		voice,
	};
}

/** Ends requests when all of them together have taken that long, in milliseconds from now. */
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
