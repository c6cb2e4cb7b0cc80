import { readPlaceholder, writePlaceholder, type Template } from '../shared';
import { hiddenKeys, shownKeys } from './mapKeys';
import { isPublicWord, type NameMask } from './publicNames';
import { isJsonObject, mergedEntry, type Json, type Path } from './structure';

/** Common codes, and signs such as GH₵. Any other three letters could be the start of an ID. */
const CURRENCY = '(?:GHS|Ghs|ghs|USD|EUR|GBP|NGN|KES|ZAR|XOF|[A-Za-z]{0,3}\\p{Sc})';

/** A minus sign can be the one of mathematics. */
const MINUS = '[-\\u2212]?';

/** An amount as text, with a currency before or after it. */
export const AMOUNT_WITH_CURRENCY = new RegExp(
	`^${MINUS}${CURRENCY}\\s*${MINUS}[\\d,.]+$|^${MINUS}[\\d,.]+\\s*${CURRENCY}$`,
	'u',
);

/** A number as text, which may have commas between thousands. */
export const NUMBER_AS_TEXT = new RegExp(`^${MINUS}(?:\\d+|\\d{1,3}(?:,\\d{3})+)(?:\\.\\d+)?$`, 'u');

/** Maximum depth of a template. */
const DEEPEST = 8;

/**
 * Reduces a body to its structure: names of fields, types of values, and public words.
 * @param mask replaces names that may be someone's data
 * @param meaningAt the meaning of an error text at a path, if the client read the text as one
 */
export function templateOf(
	body: unknown,
	mask: NameMask,
	meaningAt: (path: Path) => string | undefined = () => undefined,
): Template {
	return reduce(body, [], '');

	/** @param name the value's name in the template; empty for an entry of a list */
	function reduce(value: unknown, path: Path, name: string): Template {
		if (value === null || value === undefined || path.length > DEEPEST) return null;
		if (typeof value === 'boolean') return value;
		if (Array.isArray(value)) {
			const merged = mergedEntry(value);
			const entry = merged === undefined ? null : reduce(merged, [...path, 0], '');
			// A list whose entries are too deep is shown as an empty one.
			return entry === null ? [] : [entry];
		}
		if (isJsonObject(value)) return reduceObject(value, path);
		return pageFact(name, value) ?? placeholderOf(value, name, meaningAt(path));
	}

	function reduceObject(value: Json, path: Path): Template {
		const reduced: Record<string, Template> = {};
		const hidden = hiddenKeys(value);
		for (const key of shownKeys(value)) {
			const name = mask.mask(key, hidden.has(key));
			reduced[name] = reduce(value[key], [...path, key], name);
		}
		return reduced;
	}
}

function placeholderOf(value: unknown, name: string, meaning: string | undefined): string {
	if (typeof value === 'number') return writePlaceholder('number');
	const text = String(value).trim();
	if (text === '') return writePlaceholder('empty text');
	if (NUMBER_AS_TEXT.test(text)) return writePlaceholder('number as text');
	if (/^\+\d[\d ().-]{5,}$/.test(text)) return writePlaceholder('phone number');
	if (/^\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?$/.test(text)) return writePlaceholder('time');
	if (/^\d{4}-\d\d-\d\d([T ]\d\d:\d\d.*)?$/.test(text)) return writePlaceholder('ISO time');
	if (/^https?:\/\//.test(text)) return writePlaceholder('URL');
	if (/^[^@\s]+@[^@\s]+$/.test(text)) return writePlaceholder('email address');
	if (AMOUNT_WITH_CURRENCY.test(text)) {
		return writePlaceholder('amount with currency');
	}
	if (WORDY.test(name) && !SENDER.test(name) && isPublicWord(text)) return writePlaceholder('word', text);
	return writePlaceholder('text', meaning);
}

/** Names of fields whose words are part of an API, such as a status or a code. */
const WORDY = /(status|state|code|type|kind|channel|currency|event|direction|via|category|verdict|result|outcome)$/i;

/** Names of a sender ID that end like those. */
const SENDER = /(short|sender)[ _-]?code$/i;

/** Facts about pages of a list, by the names that the client knows. */
function pageFact(name: string, value: unknown): string | undefined {
	const plain = name.replace(/[_@-]/g, '').toLowerCase();
	if (typeof value === 'string' && /^(https?:|\/|\?)/.test(value)) {
		return /^(next(pageurl|url|link|pagelink)?|odata\.nextlink)$/.test(plain)
			? writePlaceholder('next link')
			: undefined;
	}
	if (typeof value !== 'number') return undefined;
	if (/^(currentpage|page|pagenumber|pageno|pageindex)$/.test(plain)) return writePlaceholder('page');
	if (/^(lastpage|totalpages|pages|pagecount|numpages)$/.test(plain)) return writePlaceholder('last page');
	if (/^(perpage|pagesize)$/.test(plain)) return writePlaceholder('page size');
	return /^total(count|records|items|elements|results|rows)?$/.test(plain) ? writePlaceholder('total') : undefined;
}

/** Words for placeholders that have no own word as a type. */
const TYPE_WORDS: Readonly<Record<string, string>> = {
	word: 'text',
	'next link': 'URL',
	page: 'number',
	'last page': 'number',
	'page size': 'number',
	total: 'number',
};

const LONGEST = 400;

/**
 * Writes a structure in one line, with types instead of values.
 * @example describe({ data: [{ msisdn: '<phone number>' }] }) // '{ data: [{ msisdn: phone number }] }'
 */
export function describe(template: Template): string {
	const whole = describeAll(template);
	return whole.length <= LONGEST ? whole : `${whole.slice(0, LONGEST)} …`;
}

function describeAll(template: Template): string {
	if (template === null) return 'null';
	if (typeof template === 'boolean') return String(template);
	if (typeof template === 'string') {
		const kind = readPlaceholder(template)?.kind ?? 'text';
		return TYPE_WORDS[kind] ?? kind;
	}
	if (Array.isArray(template)) return `[${template.map(describeAll).join(', ')}]`;
	const fields = Object.entries(template).map(([name, inner]) => `${name}: ${describeAll(inner)}`);
	return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}

/**
 * Writes a path whose names are masked.
 * @example writePath(['data', 0, 'msisdn']) // 'data[].msisdn'
 */
export function writePath(path: Path): string {
	return path.map((part, index) => (typeof part === 'number' ? '[]' : `${index === 0 ? '' : '.'}${part}`)).join('');
}

/** Whether a template has a value at a path with masked names. */
export function hasPath(template: Template | undefined, path: Path): boolean {
	let value: unknown = template;
	for (const part of path) {
		if (Array.isArray(value) && typeof part === 'number') value = value[part];
		else if (isJsonObject(value) && typeof part === 'string' && Object.hasOwn(value, part)) value = value[part];
		else return false;
	}
	return value !== undefined;
}
