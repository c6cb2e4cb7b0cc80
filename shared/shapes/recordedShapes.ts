import { z } from 'zod/v4';

/**
 * Kinds of placeholders in a recorded body. `word` keeps a public word such as `delivered`. `text` may name the meaning of
 * an error text. The last five are facts about the pages of a list.
 * @example placeholderKinds.includes('text') // true
 */
export const placeholderKinds = [
	'text',
	'empty text',
	'word',
	'number',
	'number as text',
	'amount with currency',
	'phone number',
	'email address',
	'URL',
	'time',
	'ISO time',
	'next link',
	'page',
	'last page',
	'page size',
	'total',
] as const;

/** One of {@link placeholderKinds}. */
export type PlaceholderKind = (typeof placeholderKinds)[number];

/**
 * The structure of a JSON body without its values. A text is a placeholder such as `<number>`, `<word delivered>` or
 * `<text not_found>`. A list has at most one entry, which is the shape of all of them.
 * @example const template: Template = { ok: true, result: { balance: '<number as text>' } };
 */
export type Template = string | boolean | null | Template[] | { readonly [name: string]: Template };

const PLACEHOLDER = new RegExp(`^<(${placeholderKinds.join('|')})(?: ([\\w.@$-]{1,60}))?>$`);

const placeholderText = z.string().regex(PLACEHOLDER, 'is not a placeholder such as <text> or <number>');

const template: z.ZodType<Template> = z.lazy(() =>
	z.union([placeholderText, z.boolean(), z.null(), z.array(template).max(1), z.record(z.string(), template)]),
);

const path = z.array(z.union([z.string(), z.int().min(0)]));

/**
 * The path of a value: names of fields, and 0 for the entry of a list.
 * @example const path: RecordedPath = ['data', 0, 'msisdn'];
 */
export type RecordedPath = z.output<typeof path>;

const body = {
	status: z.int().min(200).max(599),
	/** Missing if the body is not JSON. */
	body: template.optional(),
	/** A body that is not JSON. */
	other: z.enum(['web page', 'text', 'empty body']).optional(),
};

const recordedResponse = z.strictObject({
	...body,
	/** Places of each field that the client read, by the field's name in the contract. A name may consist of two parts. */
	fields: z.record(z.string(), z.array(path)),
	/** Place of the list, if it is one. The paths of fields then begin in a row. */
	rows: path.optional(),
});

/**
 * A recorded response of one endpoint.
 * @example const response: RecordedResponse = { status: 200, body: { funds: '<number>' }, fields: { balance: [['funds']] } };
 */
export type RecordedResponse = z.output<typeof recordedResponse>;

const recordedError = z.strictObject({
	endpoint: z.string(),
	/** The meaning of the rejection, as in `shared/contract/errors.ts`. */
	code: z.string(),
	...body,
});

/**
 * A recorded rejection of one endpoint.
 * @example const error: RecordedError = { endpoint: 'sms.get', code: 'not_found', status: 404, body: { fault: '<text>' } };
 */
export type RecordedError = z.output<typeof recordedError>;

/**
 * The shapes of a service, as the doctor records them: structure and names, no values.
 * @example const shapes = recordedShapes.parse(JSON.parse(readFileSync('doctor-shapes.json', 'utf8')));
 */
export const recordedShapes = z.strictObject({
	version: z.literal(1, 'is not 1: record the shapes again with this version of the doctor'),
	/** By endpoint ID of the contract. */
	responses: z.record(z.string(), recordedResponse),
	errors: z.array(recordedError),
	/** The service's words by endpoint ID and by the contract's word. */
	words: z.record(z.string(), z.record(z.string(), z.string())),
});

/**
 * The content of a file of recorded shapes.
 * @example const shapes: RecordedShapes = { version: 1, responses: {}, errors: [], words: {} };
 */
export type RecordedShapes = z.output<typeof recordedShapes>;

/**
 * A placeholder, split into its parts.
 * @example const placeholder: Placeholder = { kind: 'word', detail: 'delivered' };
 */
export interface Placeholder {
	readonly kind: PlaceholderKind;
	/** The word of a `word`; the meaning of a `text`. */
	readonly detail?: string;
}

/**
 * Splits a placeholder.
 * @returns undefined if the text is not one
 * @example readPlaceholder('<word delivered>') // { kind: 'word', detail: 'delivered' }
 */
export function readPlaceholder(text: string): Placeholder | undefined {
	const [, name, detail] = PLACEHOLDER.exec(text) ?? [];
	const kind = placeholderKinds.find((known) => known === name);
	return kind && { kind, ...(detail !== undefined && { detail }) };
}

/**
 * Writes a placeholder.
 * @param detail the word of a `word`, or the meaning of a `text`
 * @example writePlaceholder('text', 'not_found') // '<text not_found>'
 */
export function writePlaceholder(kind: PlaceholderKind, detail?: string): string {
	return detail === undefined ? `<${kind}>` : `<${kind} ${detail}>`;
}
