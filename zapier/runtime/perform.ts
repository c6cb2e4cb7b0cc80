import type { Bundle, ZObject } from 'zapier-platform-core';
import { createClient, InputError, ServiceError, type Client } from '../../shared';
import { explain, toZapierError, type Labels } from './errors';
import { textInput } from './inputs';
import { zapierTransport } from './transport';

/** Zapier ends a step after 30 seconds; what is left of them is for starting and for telling what happened. */
export const TIMEOUT_MS = 25_000;

/** What a step needs of an input field. */
interface NamedField {
	readonly key: string;
	readonly label?: string;
}

/**
 * Runs what a step does, and makes Zapier's errors of ours, worded with the labels of the step's fields.
 * @param fields of the step; those that depend on others may be left out
 * @throws z.errors.* as `toZapierError` chooses
 */
export async function runStep<Result>(
	z: ZObject,
	{ inputData }: Pick<Bundle, 'inputData'>,
	fields: readonly (NamedField | ((...parameters: never[]) => unknown))[],
	work: () => Result | Promise<Result>,
): Promise<Result> {
	try {
		return await work();
	} catch (error) {
		if (!(error instanceof ServiceError)) throw error;
		const labels = labelsOf(fields);
		const keptBy = textInput(inputData.send_once_key) === '' ? undefined : labels.send_once_key;
		throw toZapierError(z, error, labels, keptBy);
	}
}

function labelsOf(fields: readonly (NamedField | ((...parameters: never[]) => unknown))[]): Labels {
	const named = fields.filter((field): field is NamedField => typeof field !== 'function');
	return Object.fromEntries(named.map(({ key, label }) => [key, label ?? key]));
}

/**
 * What a search gives: one row, or none where the service has no such record. Zapier asks for that instead of an error,
 * and lets the Zap's owner decide what follows.
 */
export async function emptyWhereNotFound<Row>(asked: Promise<Row>): Promise<Row[]> {
	try {
		return [await asked];
	} catch (error) {
		if (error instanceof ServiceError && error.meaning === 'not_found') return [];
		throw error;
	}
}

/**
 * Makes the client of the connected account. Each call is made once: Zapier itself tries again what may be tried again.
 * The key travels only in these requests, to the base URL, and not in a middleware that any request would pass.
 * @param timeoutMs longest time for one call, in milliseconds
 * @throws z.errors.Error where the base URL or the key cannot be right; nothing is sent
 */
export function connect(z: ZObject, { authData }: Pick<Bundle, 'authData'>, timeoutMs = TIMEOUT_MS): Client {
	const { base_url, api_key, header } = authData;
	try {
		return createClient({
			baseUrl: base_url ?? '',
			apiKey: api_key ?? '',
			authHeader: header === 'Authorization' ? 'Authorization' : 'X-API-Key',
			transport: zapierTransport(z),
			timeoutMs,
			retry: { attempts: 1 },
		});
	} catch (error) {
		if (error instanceof InputError) throw new z.errors.Error(explain(error), 'InvalidConnection', 400);
		throw error;
	}
}
