import { meaningOf, type Endpoint, type Outcome } from '../shared';
import { readAgain, type Exchange } from './exchange';
import { isJsonObject, mergedEntry, type Path } from './structure';
import { AMOUNT_WITH_CURRENCY, NUMBER_AS_TEXT } from './template';

/** A field that the client read, and its place in the body. */
export interface Source {
	/** Name in the contract, or `error.code` and `error.message` of a rejection. */
	readonly field: string;
	/** Index 0 is the entry of a list. */
	readonly path: Path;
}

/** Maximum number of values of one body that are traced. */
const MOST_VALUES = 120;

/**
 * Finds where in a body the client reads each field: replaces one value after the other with a mark, reads the body again
 * with the client itself, and looks for the mark in the result.
 * @param body parsed. Only one entry of each list is looked at
 */
export async function findSources(exchange: Exchange, body: unknown): Promise<Source[]> {
	const short = shorten(body);
	const before = fieldsOf(exchange.endpoint, await readAgain(exchange, short));
	const found: Source[] = [];
	for (const { path, value } of valuesIn(short)) {
		for (const field of await fieldsAt(exchange, short, path, value, before)) found.push({ field, path });
	}
	return found;
}

/**
 * The fields that the client reads at one place of a body.
 * @param before the fields that it reads in the unchanged body
 */
async function fieldsAt(
	exchange: Exchange,
	body: unknown,
	path: Path,
	value: unknown,
	before: ReadonlyMap<string, unknown>,
): Promise<string[]> {
	const mark = markFor(value);
	if (mark === undefined) return [];
	const after = fieldsOf(exchange.endpoint, await readAgain(exchange, replaced(body, path, mark)));
	return [...after].flatMap(([field, read]) => (shows(read, mark) && !shows(before.get(field), mark) ? [field] : []));
}

/** Whether the client reads a field at a place of a body. */
export async function isReadAt(exchange: Exchange, body: unknown, { field, path }: Source, value: unknown) {
	const before = fieldsOf(exchange.endpoint, await readAgain(exchange, body));
	return (await fieldsAt(exchange, body, path, value, before)).includes(field);
}

/** A body whose lists have one entry. */
export function shorten(body: unknown): unknown {
	if (Array.isArray(body)) {
		const entry: unknown = mergedEntry(body);
		return entry === undefined ? [] : [shorten(entry)];
	}
	if (!isJsonObject(body)) return body;
	return Object.fromEntries(Object.entries(body).map(([key, value]) => [key, shorten(value)]));
}

/** The values of a body that are traced, with their places. */
export function valuesIn(body: unknown): Array<{ readonly path: Path; readonly value: unknown }> {
	return allValuesIn(body, []).slice(0, MOST_VALUES);
}

function allValuesIn(body: unknown, path: Path): Array<{ readonly path: Path; readonly value: unknown }> {
	if (Array.isArray(body)) return body.flatMap((entry: unknown, index) => allValuesIn(entry, [...path, index]));
	if (!isJsonObject(body)) return [{ path, value: body }];
	return Object.entries(body).flatMap(([key, value]) => allValuesIn(value, [...path, key]));
}

/** Begins the name of a field of the result for one number. */
export const RESULTS = 'results.';

const MARK_NUMBER = 791_925;
const MARK_WORD = 'zqmark';
/** Rare words of the contract for a yes and a no. */
const MARK_WORDS = { yes: ['okay', 'processing'], no: ['undelivered', 'blocked'] } as const;

/**
 * A value of the same type that occurs nowhere else. A text keeps its words, and a yes or a no its meaning, because they
 * decide how the rest is read.
 */
function markFor(value: unknown): string | number | boolean | undefined {
	if (typeof value === 'number') return MARK_NUMBER;
	if (typeof value === 'boolean') return !value;
	if (typeof value !== 'string') return undefined;
	const text = value.trim();
	if (NUMBER_AS_TEXT.test(text)) return String(MARK_NUMBER);
	const meaning = meaningOf(text);
	if (meaning !== 'open') return MARK_WORDS[meaning].find((word) => word !== text.toLowerCase());
	if (/^\+\d/.test(text)) return '+233559191919';
	if (/^\d{4}-\d\d-\d\d/.test(text)) return '2001-02-03 04:05:06';
	if (/^https?:\/\//.test(text)) return `https://${MARK_WORD}.example/`;
	if (AMOUNT_WITH_CURRENCY.test(text)) return `GHS ${MARK_NUMBER}`;
	return `${text} ${MARK_WORD}`;
}

/** Whether a field has the mark: as it is, as the amount in it, or within a longer text. */
function shows(read: unknown, mark: string | number | boolean): boolean {
	if (typeof mark === 'boolean') return read === mark;
	if (typeof read !== 'string' && typeof read !== 'number') return false;
	const [text, wanted] = [String(read), String(mark)];
	if (text === wanted || text === wanted.replace(/^GHS /, '')) return true;
	return wanted.endsWith(` ${MARK_WORD}`) && text.includes(MARK_WORD);
}

/** The fields of the contract in an outcome. For a list, those of its first row. */
function fieldsOf(endpoint: Endpoint, outcome: Outcome<unknown>): ReadonlyMap<string, unknown> {
	if (outcome.outcome !== 'accepted') {
		const { code, message } = outcome.error;
		return new Map([
			['error.code', code],
			['error.message', message],
		]);
	}
	const { output } = outcome;
	const record: unknown = Array.isArray(output) ? output[0] : output;
	if (!isJsonObject(record)) return new Map();
	const own = contractFields(endpoint).map((field) => [field, record[field]] as const);
	return new Map([...own, ...resultFields(record)]);
}

/** Fields of the first result of a bulk send. */
function resultFields({ results }: Readonly<Record<string, unknown>>): Array<readonly [field: string, value: unknown]> {
	const first: unknown = Array.isArray(results) ? results[0] : undefined;
	if (!isJsonObject(first)) return [];
	return ['to', 'message_id', 'status'].map((field) => [`${RESULTS}${field}`, first[field]] as const);
}

/** Names of the fields that the contract declares for a response, or for a row of a list. */
export function contractFields(endpoint: Endpoint): string[] {
	const { output } = endpoint.example;
	const example: unknown = Array.isArray(output) ? output[0] : output;
	return isJsonObject(example) ? Object.keys(example) : [];
}

/** A body with another value at a place. A field that is missing there is added. */
export function replaced(body: unknown, [part, ...rest]: Path, value: unknown): unknown {
	if (part === undefined) return value;
	if (Array.isArray(body)) {
		return body.map((entry: unknown, index) => (index === part ? replaced(entry, rest, value) : entry));
	}
	if (!isJsonObject(body)) return body;
	return { ...body, [part]: replaced(body[part], rest, value) };
}
