import { invalid } from './inputs';

/** The fields of a step: with the values of this run, and as the Zap has them, with `{{...}}` for mapped values. */
export interface StepFields {
	readonly inputData: Readonly<Record<string, unknown>>;
	readonly inputDataRaw?: Readonly<Record<string, unknown>>;
}

/** Whether there is nothing in a value but white space, however deep in lists and line items. */
export function isBlank(value: unknown): boolean {
	const waiting: unknown[] = [value];
	while (waiting.length > 0) {
		const next = waiting.pop();
		if (typeof next === 'string') {
			if (next.trim() !== '') return false;
		} else if (typeof next === 'object' && next !== null) {
			for (const part of Object.values(next) as readonly unknown[]) waiting.push(part);
		} else if (next !== undefined && next !== null) return false;
	}
	return true;
}

/**
 * Whether a field is filled in the Zap, as a rule with a mapped value, and has nothing in it in this run. Zapier then
 * gives an empty text, an empty list or nothing at all, just as for a field that was never filled.
 */
export function isEmptyInThisRun({ inputData, inputDataRaw = {} }: StepFields, key: string): boolean {
	return isBlank(inputData[key]) && !isBlank(inputDataRaw[key]);
}

/**
 * Lets optional fields pass that are filled, or that the Zap leaves out. A field that the Zap fills and that is empty in
 * this run must not mean the same as one that was left out.
 * @param hints what to do, by key of the field, to be read after what is wrong
 * @throws InputError for the first field that is empty in this run
 */
export function requireFilled(fields: StepFields, hints: Readonly<Record<string, string>>): void {
	for (const [key, cure] of Object.entries(hints)) {
		if (isEmptyInThisRun(fields, key)) throw invalid(key, `is empty in this run: ${cure}`);
	}
}

/**
 * Reads a field that holds one value.
 * @returns the value, undefined if the field is empty
 * @throws InputError for a list or an object, which would otherwise count as empty
 */
export function singleValue(value: unknown, field: string): unknown {
	if (isBlank(value)) return undefined;
	if (typeof value !== 'object') return value;
	throw invalid(field, 'is a list or an object: map a single value');
}
