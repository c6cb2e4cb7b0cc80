import type { Bundle } from 'zapier-platform-core';
import { readPhoneNumber } from '../../shared';
import { invalid, toBoolean, optionalNumber, optionalText, phoneOptions, textInput } from './inputs';
import { requireFilled, singleValue } from './mapped';

type Filled = Pick<Bundle, 'authData' | 'inputData' | 'inputDataRaw'>;

/**
 * Reads an optional field.
 * @returns its value, undefined if the Zap leaves the field out
 * @throws InputError if the Zap fills the field and it is empty in this run, or if it holds no single value
 */
function optionOf(bundle: Filled, key: string): unknown {
	requireFilled(bundle, { [key]: 'map a value that every run has, or clear the field' });
	return singleValue(bundle.inputData[key], key);
}

/** Reads an optional text. @throws InputError as {@link optionOf} */
export function textOption(bundle: Filled, key: string): string | undefined {
	return optionalText(optionOf(bundle, key));
}

/** Reads an optional number. @throws InputError as {@link optionOf}, and for what is none */
export function numberOption(bundle: Filled, key: string): number | undefined {
	return optionalNumber(optionOf(bundle, key), key);
}

/** Reads an optional yes-or-no field, no if it is left out. @throws InputError as {@link optionOf}, and for what is neither */
export function yesOption(bundle: Filled, key: string): boolean {
	const value = optionOf(bundle, key);
	if (value === undefined || /^(false|no|n|off|0)$/i.test(textInput(value))) return false;
	if (toBoolean(value)) return true;
	throw invalid(key, 'is neither yes nor no');
}

/**
 * Reads the phone number of a step that has a Default Country.
 * @param forSeveral what to do with several numbers, to be read after "use", if there is another step for them
 * @returns E.164
 * @throws InputError with what is wrong with the number or the country, and what to do
 */
export function phoneField(bundle: Filled, key: string, forSeveral?: string): string {
	optionOf(bundle, 'default_country');
	const given: unknown = bundle.inputData[key];
	const [first, ...others] = Array.isArray(given) ? (given as readonly unknown[]) : [given];
	const read = readPhoneNumber(first, phoneOptions(bundle));
	if (others.length > 0 || (!read.ok && read.problem === 'several_numbers')) {
		const advice = forSeveral === undefined ? 'give them one by one' : `use ${forSeveral}`;
		throw invalid(key, `holds more than one phone number: ${advice}`);
	}
	if (read.ok) return read.e164;
	throw invalid(key, read.message);
}
