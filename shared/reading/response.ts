import { ZodObject } from 'zod/v4';
import type { Endpoint, OutputOf } from '../contract/endpoint';
import { envelopesOf, findFields, findList, isObject, type JsonObject } from '../contract/find';
import { meaningOf } from '../contract/words';
import type { HttpResponse } from '../transport';
import { readVerdict } from './code';
import { parseJson } from './json';
import { signsIn, wordsOfSign, type Sign, type Signs } from './signs';

/**
 * The content of a response, before it is decided what it means for the call.
 * @example const isReadable = ({ kind }: Reading<unknown>) => kind !== 'unreadable';
 */
export type Reading<Output> =
	| { readonly kind: 'output'; readonly output: Output }
	/** A status that rejects, or a 2xx that clearly says no. `words` are its own words for it. */
	| { readonly kind: 'rejection'; readonly words?: string }
	/** A 2xx with a result that does not clearly say yes, or a rejection of which part may be accepted. */
	| { readonly kind: 'doubt'; readonly words?: string }
	/** A 2xx without the result of this endpoint. */
	| { readonly kind: 'unreadable' };

/**
 * Reads a response: an explicit yes is accepted, an explicit no is rejected, everything else is in doubt (decision 7).
 * @param input of the call. A response may repeat it
 * @example readResponse(contract.sms.send, response, input).kind // 'output'
 */
export function readResponse<E extends Endpoint>(
	endpoint: E,
	{ status, body }: HttpResponse,
	input: Readonly<Record<string, unknown>>,
): Reading<OutputOf<E>> {
	const json = parseJson(body);
	const found = json && extractOutput(endpoint, json.value);
	if (status < 200 || status >= 300) {
		const partly =
			json && status >= 400 && endpoint.response.kind === 'batch' && isPartlyAccepted(json.value, found, input);
		return { kind: partly ? 'doubt' : 'rejection' };
	}
	if (!json) return { kind: 'unreadable' };
	const objection = objectionIn(endpoint, json.value, found, input);
	if (objection) return objection;
	const output = endpoint.output.safeParse(found);
	// The output type is inferred from the endpoint's schema; a generic E hides that from the compiler.
	if (output.success) return { kind: 'output', output: output.data as OutputOf<E> };
	const failing = endpoint.repeat === 'safe' && signsOf(endpoint, json.value, input);
	const sign = failing ? (failing.no ?? failing.doubt) : undefined;
	return sign ? { kind: 'rejection', words: wordsOfSign(sign) } : { kind: 'unreadable' };
}

function signsOf({ response, output }: Endpoint, body: unknown, input: Readonly<Record<string, unknown>>): Signs {
	const status = output instanceof ZodObject && Object.hasOwn(output.shape, 'status');
	return signsIn(body, { input, rows: response.kind === 'batch' || response.kind === 'list', status });
}

type Objection = Exclude<Reading<never>, { readonly kind: 'output' }>;

/** The reason why a 2xx is not accepted; undefined if there is none. */
function objectionIn(
	endpoint: Endpoint,
	body: unknown,
	found: unknown,
	input: Readonly<Record<string, unknown>>,
): Objection | undefined {
	if (endpoint.response.kind === 'code') return undefined;
	const signs = signsOf(endpoint, body, input);
	if (endpoint.repeat === 'safe') {
		const sign = failureOf(endpoint, found, signs);
		return sign && { kind: 'rejection', words: wordsOfSign(sign) };
	}
	// A false that is the result, and a status that says the same, are no failure.
	const isFalse = namesVerdict(endpoint) && isObject(found) && found.valid === false;
	const [no, doubt] = [signs.no, signs.doubt].map((sign) => (isFalse && sign?.kind === 'status' ? undefined : sign));
	if (signs.unread) return { kind: 'doubt' };
	if (no)
		return { kind: isPartlyAccepted(body, found, input) ? 'doubt' : 'rejection', words: wordsOfSign(doubt ?? no) };
	if (doubt) return { kind: 'doubt', words: wordsOfSign(doubt) };
	return signs.yes || signs.rows || hasResult(endpoint, found) ? undefined : { kind: 'unreadable' };
}

/** The sign that a call that only reads has failed. A status and an error in a record are the record's own. */
function failureOf({ response }: Endpoint, found: unknown, { no, doubt }: Signs): Sign | undefined {
	if (response.kind === 'list') return no ?? (doubt?.kind === 'status' ? undefined : doubt);
	if (no?.kind === 'flag') return no;
	const ofEnvelope = isObject(found) && !hasId(found) && /^(error|fail)$/i.test(String(found.status).trim());
	return ofEnvelope ? (doubt ?? no) : undefined;
}

/** Whether the result is a yes or a no. */
function namesVerdict({ output }: Endpoint): boolean {
	return output instanceof ZodObject && Object.hasOwn(output.shape, 'valid');
}

/** Whether a response that says no also has an ID, a cost or a yes, in a row too. Something may then be sent or charged. */
function isPartlyAccepted(body: unknown, found: unknown, input: Readonly<Record<string, unknown>>): boolean {
	if (!isObject(found)) return false;
	return signsIn(body, { input }).someYes || hasId(found) || Number(found.cost) > 0;
}

const IDS = ['message_id', 'verification_id', 'batch_id', 'reference', 'id'];

function hasId(record: JsonObject): boolean {
	return IDS.some((id) => isThere(record[id]));
}

function isThere(value: unknown): boolean {
	return value !== undefined && value !== null && value !== '' && value !== 0 && value !== '0' && value !== false;
}

/** Whether a response has the result that the endpoint names: an ID, or a yes or no. */
function hasResult(endpoint: Endpoint, found: unknown): boolean {
	if (!isObject(found)) return false;
	return hasId(found) || namesVerdict(endpoint);
}

/**
 * Whether the success flag of a body says that the call succeeded or failed; undefined if there is no clear flag. It may
 * be in any envelope.
 */
export function successFlag(body: unknown): boolean | undefined {
	if (!isObject(body)) return undefined;
	const flags = envelopesOf(body).map(({ success }) => meaningOf(success));
	if (flags.includes('no')) return false;
	return flags.includes('yes') ? true : undefined;
}

/**
 * Finds the result of an endpoint in a body whose envelope is undocumented.
 * @returns the value for the endpoint's output schema; undefined if there is none
 */
export function extractOutput({ response, output }: Endpoint, body: unknown): unknown {
	if (response.kind === 'list') return findList(body);
	if (!isObject(body)) return undefined;
	if (response.kind === 'code') {
		const verdict = readVerdict(body);
		return { ...body, valid: verdict === 'right', verdict };
	}
	const found = output instanceof ZodObject ? findFields(body, output.shape, { aliases: response.aliases }) : body;
	// A field of that name may belong to the record, as in a contact, so only a yes is copied from the envelope.
	return successFlag(body) === true ? { ...found, success: true } : found;
}
