import type { ErrorCode } from '../../shared/contract/errors';
import type { Endpoint } from '../../shared/contract/endpoint';
import {
	readPlaceholder,
	type Placeholder,
	type RecordedError,
	type RecordedPath,
	type RecordedResponse,
	type RecordedShapes,
	type Template,
} from '../../shared/shapes/recordedShapes';
import type { HttpError } from './httpError';
import type { ShapeRequest } from './shape';

/** A response in a recorded shape. `body` is text if it is not JSON. */
export interface ShapedResponse {
	readonly status: number;
	readonly json?: unknown;
	readonly text?: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** Number of rows on a page of a recorded list that has a link to the next page. */
const PAGE_SIZE = 2;

/**
 * Writes the output of an endpoint in the shape that the doctor recorded (docs/doctor.md).
 * @returns undefined if no response of the endpoint was recorded
 */
export function recordedSuccess(
	{ id }: Endpoint,
	output: unknown,
	shapes: RecordedShapes | undefined,
	request: ShapeRequest,
): ShapedResponse | undefined {
	const recorded = shapes?.responses[id];
	if (!recorded) return undefined;
	if (recorded.body === undefined) return notJson(recorded);
	const words = shapes.words[id] ?? {};
	return { status: recorded.status, json: fill(recorded.body, recorded, { output, words, request }) };
}

/**
 * Writes a rejection in the shape that the doctor recorded: that of the endpoint, or else of any endpoint.
 * @returns undefined if no such rejection was recorded
 */
export function recordedFailure(
	{ id }: Endpoint,
	{ code }: HttpError,
	shapes: RecordedShapes | undefined,
): ShapedResponse | undefined {
	const find = (codes: readonly string[], endpoint?: string) =>
		shapes?.errors.find(
			(error) => codes.includes(error.code) && (endpoint === undefined || error.endpoint === endpoint),
		);
	// A channel that is not set up may be reported before the fields are checked.
	const own = find(code === 'validation' ? [code, 'channel_not_set_up'] : [code], id);
	const recorded = own ?? find([code]);
	if (!recorded) return undefined;
	if (recorded.body === undefined) return notJson(recorded);
	return { status: recorded.status, json: render(recorded.body, () => undefined) };
}

function notJson({ status, other }: RecordedError | Pick<RecordedResponse, 'status' | 'other'>): ShapedResponse {
	const texts = { 'web page': '<!doctype html><title>Page</title>', text: 'Text', 'empty body': '' } as const;
	return { status, text: texts[other ?? 'empty body'] };
}

/** The values for the placeholders of one body. */
interface Values {
	readonly output: unknown;
	/** The service's words by the sandbox's words. */
	readonly words: Readonly<Record<string, string>>;
	readonly request: ShapeRequest;
}

function fill(template: Template, { fields, rows }: RecordedResponse, { output, words, request }: Values): unknown {
	if (rows === undefined) {
		const record = recordOf(output);
		return render(template, valuesFrom(fields, record, words), resultsIn(record, fields, words));
	}
	const all: unknown[] = Array.isArray(output) ? output : [];
	const page = pageOf(all, template, request);
	return render(template, page.factOf, {
		path: rows,
		each: (row) => page.rows.map((one) => render(row, valuesFrom(fields, recordOf(one), words))),
	});
}

const RESULT = 'results.';

/** The results of a bulk send, one for each number, if their fields were recorded. */
function resultsIn(
	{ results }: Fields,
	fields: RecordedResponse['fields'],
	words: Readonly<Record<string, string>>,
): Rows | undefined {
	const recorded = Object.entries(fields).filter(([field]) => field.startsWith(RESULT));
	const path = recorded[0]?.[1][0] ?? [];
	const end = path.lastIndexOf(0);
	if (!Array.isArray(results) || end < 0) return undefined;
	const inRow = Object.fromEntries(
		recorded.map(([field, paths]) => [field.slice(RESULT.length), paths.map((one) => one.slice(end + 1))]),
	);
	return {
		path: path.slice(0, end),
		each: (row) => results.map((one) => render(row, valuesFrom(inRow, recordOf(one), words))),
	};
}

function recordOf(value: unknown): Fields {
	return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** Finds the value of a placeholder at a path; undefined if the sandbox has none. */
type ValueAt = (path: RecordedPath, placeholder: Placeholder | undefined) => unknown;

function valuesFrom(
	fields: RecordedResponse['fields'],
	record: Fields,
	words: Readonly<Record<string, string>>,
): ValueAt {
	const places = new Map<string, unknown>();
	for (const [field, paths] of Object.entries(fields)) {
		const value = record[field];
		const word = typeof value === 'string' ? words[value] : undefined;
		const parts = paths.length > 1 && typeof value === 'string' ? value.split(' ') : undefined;
		for (const [index, path] of paths.entries()) {
			const last = index === paths.length - 1;
			places.set(JSON.stringify(path), word ?? (parts ? (last ? parts.slice(index).join(' ') : parts[index]) : value));
		}
	}
	return (path) => {
		const key = JSON.stringify(path);
		if (places.has(key)) return places.get(key);
		const name = path.at(-1);
		return typeof name === 'string' ? record[name] : undefined;
	};
}

/** A list in a recorded body. */
interface Rows {
	readonly path: RecordedPath;
	/** Renders all rows in the shape of one. */
	readonly each: (row: Template) => unknown[];
}

function render(template: Template, valueAt: ValueAt, rows?: Rows, path: RecordedPath = []): unknown {
	if (rows && JSON.stringify(path) === JSON.stringify(rows.path)) {
		const [row] = Array.isArray(template) ? template : [];
		return row === undefined ? [] : rows.each(row);
	}
	if (template === null) return null;
	if (typeof template === 'boolean') {
		const value = valueAt(path, undefined);
		return typeof value === 'boolean' ? value : template;
	}
	if (typeof template === 'string') {
		const placeholder = readPlaceholder(template) ?? { kind: 'text' };
		return write(placeholder, valueAt(path, placeholder));
	}
	if (Array.isArray(template)) return template.map((inner, index) => render(inner, valueAt, rows, [...path, index]));
	return Object.fromEntries(
		Object.entries(template).map(([name, inner]) => [name, render(inner, valueAt, rows, [...path, name])]),
	);
}

/** The rows of the requested page, and the facts about pages. */
function pageOf(all: readonly unknown[], template: Template, { input, address }: ShapeRequest) {
	const size = JSON.stringify(template).includes('<next link>') && input.limit === undefined ? PAGE_SIZE : all.length;
	const last = Math.max(1, Math.ceil(all.length / (size || 1)));
	const current = /^[1-9]\d{0,5}$/.test(String(input.page)) ? Number(input.page) : 1;
	const facts: Readonly<Record<string, unknown>> = {
		'next link': current < last ? `${address}?page=${current + 1}` : null,
		page: current,
		'last page': last,
		'page size': size,
		total: all.length,
	};
	const factOf: ValueAt = (_path, placeholder) => placeholder && facts[placeholder.kind];
	return { rows: all.slice((current - 1) * size, current * size), factOf };
}

/** Texts with a meaning of their own, because clients recognize rejections by their words. */
const PHRASES: Readonly<Record<ErrorCode, string>> = {
	invalid_key: 'The API key is invalid.',
	validation: 'The field is required.',
	insufficient_balance: 'Insufficient balance.',
	opted_out: 'The number has opted out.',
	sender_not_approved: 'The sender ID is not approved.',
	channel_not_set_up: 'The channel is not enabled.',
	domain_not_verified: 'The domain is not verified.',
	wrong_code: 'The code is wrong.',
	expired_code: 'The code has expired.',
	too_many_tries: 'Too many attempts.',
	used_code: 'The code was already used.',
	failed_send: 'The message failed.',
	not_found: 'Not found.',
	rate_limited: 'Too many requests.',
	server_error: 'Server error.',
};

/** No public word, which would have another placeholder. */
const ANY_TEXT = 'Lorem ipsum';

function phraseFor(meaning: string | undefined): string {
	return Object.entries(PHRASES).find(([code]) => code === meaning)?.[1] ?? ANY_TEXT;
}

/** Writes a value as the recorded one was written. Without a value, any one of that type. */
function write({ kind, detail }: Placeholder, value: unknown): unknown {
	if (value === null) return null;
	const amount = typeof value === 'number' ? value.toFixed(2) : undefined;
	const text = typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
	switch (kind) {
		case 'number':
		case 'page':
		case 'last page':
		case 'page size':
		case 'total':
			return numberFor(value);
		case 'number as text':
			return amount ?? text?.replace(/^\+/, '') ?? '1';
		case 'amount with currency':
			return `GHS ${amount ?? '1.00'}`;
		case 'word':
			return text ?? detail ?? ANY_TEXT;
		case 'empty text':
			return '';
		case 'text':
			// An ID of digits alone would have another type than the recorded one.
			return text === undefined ? phraseFor(detail) : text.replace(/^(?=\d+$)/, 'id-');
		case 'phone number':
			return text ?? '+233205550100';
		case 'email address':
			return text ?? 'someone@example.com';
		case 'URL':
		case 'next link':
			return text ?? 'https://service.example/';
		case 'time':
			return text ?? '2026-01-01 00:00:00';
		case 'ISO time':
			return `${text?.replace(' ', 'T') ?? '2026-01-01T00:00:00'}Z`;
	}
}

/** An ID that is not a number stays a text, because a later request has to find it. */
function numberFor(value: unknown): unknown {
	if (typeof value === 'number') return value;
	if (typeof value !== 'string') return 1;
	const digits = value.replace(/^\+/, '');
	if (/^-?\d+(\.\d+)?$/.test(digits)) return Number(digits);
	if (/^\d{4}-\d\d-\d\d/.test(value)) return Math.floor(Date.parse(`${value.replace(' ', 'T')}Z`) / 1000);
	return /^[a-z]+_/.test(value) ? value : 1;
}
