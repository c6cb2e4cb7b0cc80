import { invalid } from './inputs';

/** The fields of a step: with this run's values, and as the Zap stores them, with `{{...}}` for mapped values. */
export interface StepFields {
	readonly inputData: Readonly<Record<string, unknown>>;
	readonly inputDataRaw?: Readonly<Record<string, unknown>>;
}

/** Whether a value holds nothing but white space, at any depth of lists and line items. */
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
 * Whether the Zap fills a field, usually with a mapped value, that is empty in this run. Zapier then passes an empty
 * text, an empty list or no value, the same as for a field that was never filled.
 */
export function isEmptyInThisRun({ inputData, inputDataRaw = {} }: StepFields, key: string): boolean {
	return isBlank(inputData[key]) && !isBlank(inputDataRaw[key]);
}

/**
 * Rejects fields that the Zap fills but that are empty in this run, because they must not count as left out.
 * @param hints advice by key of the field, which continues the message
 * @throws InputError for the first such field
 */
export function requireFilled(fields: StepFields, hints: Readonly<Record<string, string>>): void {
	for (const [key, hint] of Object.entries(hints)) {
		if (isEmptyInThisRun(fields, key)) throw invalid(key, `is empty in this run: ${hint}`);
	}
}

/**
 * Reads a field with a single value.
 * @returns the value, undefined if the field is empty
 * @throws InputError for a list or object, which would otherwise count as empty
 */
export function singleValue(value: unknown, field: string): unknown {
	if (isBlank(value)) return undefined;
	if (typeof value !== 'object') return value;
	throw invalid(field, 'is a list or an object: map a single value');
}
