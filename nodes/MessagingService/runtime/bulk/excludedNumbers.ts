import type { IExecuteFunctions } from 'n8n-workflow';
import type { InputError, PhoneOptions } from '../../../../shared';
import { excludedNumbers, isOptionSet, optionValue } from '../parameters';

/**
 * Reads the Excluded Numbers of each item. Consecutive items usually have the same list, so it is read once. Reading a
 * long list for many items would take minutes.
 * @returns a function that returns the list of one item: numbers in E.164, none if the option is not set
 */
export function exclusions(
	context: IExecuteFunctions,
	phone: PhoneOptions,
): (itemIndex: number) => ReadonlySet<string> | InputError {
	if (!isOptionSet(context, 'excludedNumbers')) return () => new Set();
	let last: { readonly value: unknown; readonly numbers: ReadonlySet<string> | InputError } | undefined;
	return (itemIndex) => {
		const value = optionValue(context, 'excludedNumbers', itemIndex);
		if (!last || !isSame(last.value, value)) last = { value, numbers: excludedNumbers(value, phone) };
		return last.numbers;
	};
}

function isSame(a: unknown, b: unknown): boolean {
	if (!Array.isArray(a) || !Array.isArray(b)) return a === b;
	return a.length === b.length && a.every((entry, index) => entry === b[index]);
}
