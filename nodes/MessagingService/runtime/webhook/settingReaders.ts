/** Why the value of a field cannot be used; read after the field's name. */
export class Unusable {
	constructor(readonly message: string) {}
}

/** Reads the value of one field. An expression may give anything: another type, or nothing at all. */
export type Reader<Value> = (value: unknown) => Value | Unusable;

const EMPTY = new Unusable('is empty: enter a value, or remove the option');

/** Reads entries, as a list or as text with commas. A text that was left empty has none; any other value has some. */
export const entries: Reader<readonly string[]> = (value) => (value === '' ? [] : someEntries(value));

/** Reads entries like {@link entries}, but at least one. */
export const someEntries: Reader<readonly string[]> = (value) => {
	if (value === undefined || value === null) return EMPTY;
	const parts: readonly unknown[] = Array.isArray(value) ? value : [value];
	if (!parts.every((part) => typeof part === 'string' || typeof part === 'number')) {
		return new Unusable('is neither text nor a list of texts');
	}
	const found = parts.flatMap((part) => String(part).split(',')).map((entry) => entry.trim());
	const filled = found.filter((entry) => entry !== '');
	return filled.length > 0 ? filled : EMPTY;
};

/** Makes a reader of chosen options, of which there may be none. */
export function choices<Name extends string>(names: readonly Name[]): Reader<readonly Name[]> {
	return (value) => {
		const found = Array.isArray(value) && value.length === 0 ? [] : entries(value);
		if (found instanceof Unusable) return found;
		const chosen = names.filter((name) => found.includes(name));
		const wrong = found.filter((entry) => !chosen.some((name) => name === entry));
		return wrong.length === 0 ? chosen : new Unusable(`has ${quoted(wrong)}: choose among ${names.join(', ')}`);
	};
}

/** Makes a reader of one option. */
export function choice<Name extends string>(names: readonly Name[]): Reader<Name> {
	return (value) => names.find((name) => name === value) ?? new Unusable(`is none of ${names.join(', ')}`);
}

/** Reads a whole number from 0, also as text. */
export const wholeNumber: Reader<number> = (value) => {
	const text = typeof value === 'number' || typeof value === 'string' ? String(value).trim() : '';
	if (text === '') return new Unusable('is empty: enter a whole number from 0, or remove the option');
	return /^\d{1,9}$/.test(text) ? Number(text) : new Unusable('is not a whole number from 0');
};

/** Reads a switch. Text is not taken: "false" would be on for the outputs of the node. */
export const onOrOff: Reader<boolean> = (value) =>
	typeof value === 'boolean' ? value : new Unusable('is neither true nor false');

/** Reads an http or https address; '' if it was left empty. */
export const httpAddress: Reader<string> = (value) => {
	const url = typeof value === 'string' ? value.trim() : undefined;
	if (url === '') return url;
	if (url !== undefined && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url;
	return new Unusable(
		'is not an http or https address: it looks like https://your-service.example/webhooks/inbound/sms',
	);
};

/** Writes entries for a sentence; long ones are cut. */
export function quoted(list: readonly string[]): string {
	return list.map((entry) => `"${entry.slice(0, 100)}"`).join(', ');
}
