import { isIpRange } from '../../../../shared';

/** An error about the value of a field. The message follows the field's name. */
export class Unusable {
	constructor(readonly message: string) {}
}

/** Reads the value of one field. An expression may return any type, or nothing. */
export type Reader<Value> = (value: unknown) => Value | Unusable;

const EMPTY = new Unusable('is empty: enter a value, or remove the option');

/**
 * Reads entries from a list or from text with commas. Empty text means no entries. Any other value must have at least
 * one.
 */
export const entries: Reader<readonly string[]> = (value) => (value === '' ? [] : someEntries(value));

/** Reads at least one entry, like {@link entries}. */
export const someEntries: Reader<readonly string[]> = (value) => {
	if (value === undefined || value === null) return EMPTY;
	const parts: readonly unknown[] = Array.isArray(value) ? value : [value];
	if (!parts.every((part) => typeof part === 'string' || typeof part === 'number')) {
		return new Unusable('is neither text nor a list of text values');
	}
	const found = parts.flatMap((part) => String(part).split(',')).map((entry) => entry.trim());
	const filled = found.filter((entry) => entry !== '');
	return filled.length > 0 ? filled : EMPTY;
};

/** Reads at least one IPv4 or IPv6 address or range such as 203.0.113.0/24, as a list or as text with commas. */
export const ipRanges: Reader<readonly string[]> = (value) => {
	const found = someEntries(value);
	if (found instanceof Unusable) return found;
	// Spaces and semicolons also separate addresses.
	const list = found.flatMap((entry) => entry.split(/[\s;]+/)).filter((entry) => entry !== '');
	const wrong = list.filter((entry) => !isIpRange(entry));
	if (list.length > 0 && wrong.length === 0) return list;
	const what = wrong.length > 0 ? `has ${quoted(wrong)}` : 'is empty';
	return new Unusable(
		`${what}: enter addresses such as 203.0.113.7 or ranges such as 203.0.113.0/24, separated by commas, or remove the option`,
	);
};

/** The values of a choice, each with the label that the node shows. */
export type Choices<Value extends string> = ReadonlyArray<readonly [value: Value, label: string]>;

/** Makes a reader of a multiple choice, which may be empty. */
export function choices<Value extends string>(offered: Choices<Value>): Reader<readonly Value[]> {
	return (given) => {
		const found = Array.isArray(given) && given.length === 0 ? [] : entries(given);
		if (found instanceof Unusable) return found;
		const chosen = offered.map(([value]) => value).filter((value) => found.includes(value));
		const wrong = found.filter((entry) => !chosen.some((value) => value === entry));
		return wrong.length === 0 ? chosen : new Unusable(`has ${quoted(wrong)}: choose from ${listed(offered)}`);
	};
}

/** Makes a reader of a single choice. */
export function choice<Value extends string>(offered: Choices<Value>): Reader<Value> {
	return (given) =>
		offered.find(([value]) => value === given)?.[0] ??
		new Unusable(`is not one of ${listed(offered)}: choose one of them`);
}

/** Lists the labels that a user sees, each with the value that an expression must return. */
function listed(offered: Choices<string>): string {
	return offered.map(([value, label]) => `${label} (${value})`).join(', ');
}

/** Reads a whole number (0 or more), also as text. */
export const wholeNumber: Reader<number> = (value) => {
	const text = typeof value === 'number' || typeof value === 'string' ? String(value).trim() : '';
	if (text === '') return new Unusable('is empty: enter a whole number (0 or more), or remove the option');
	return /^\d{1,9}$/.test(text) ? Number(text) : new Unusable('is not a whole number of 0 or more');
};

/** Makes a reader of a whole number within limits, also as text. */
export function wholeNumberWithin(least: number, most: number): Reader<number> {
	return (value) => {
		const found = wholeNumber(value);
		if (found instanceof Unusable || (found >= least && found <= most)) return found;
		return new Unusable(`is not between ${least} and ${most}`);
	};
}

/** Reads a switch. Rejects text, because "false" would count as on for the outputs of the node. */
export const onOrOff: Reader<boolean> = (value) =>
	typeof value === 'boolean' ? value : new Unusable('is neither true nor false');

/** Lists entries in quotes. Long ones are cut. */
export function quoted(list: readonly string[]): string {
	return list.map((entry) => `"${entry.slice(0, 100)}"`).join(', ');
}
