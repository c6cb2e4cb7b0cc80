import type { Bundle } from 'zapier-platform-core';
import { readPhoneNumber } from '../../shared';
import { invalid, toBoolean, optionalNumber, optionalText, phoneOptions, textInput, textPhoneOptions } from './inputs';
import { requireFilled, singleValue } from './mapped';

type Filled = Pick<Bundle, 'authData' | 'inputData' | 'inputDataRaw'>;

/**
 * Reads an optional field.
 * @returns its value, undefined if the Zap leaves the field out
 * @throws InputError if the Zap fills the field but it is empty in this run, or if it is a list or object
 */
function optionOf(bundle: Filled, key: string): unknown {
	requireFilled(bundle, { [key]: 'map a value that every run has, or clear the field' });
	return singleValue(bundle.inputData[key], key);
}

/** Reads an optional text. @throws InputError as {@link optionOf} */
export function textOption(bundle: Filled, key: string): string | undefined {
	return optionalText(optionOf(bundle, key));
}

/** Reads an optional number. @throws InputError as {@link optionOf}, and if it is not a number */
export function numberOption(bundle: Filled, key: string): number | undefined {
	return optionalNumber(optionOf(bundle, key), key);
}

/**
 * Reads an optional yes-or-no field.
 * @param leftOut meaning of a field that the Zap leaves out
 * @throws InputError as {@link optionOf}, and for other values
 */
export function yesOption(bundle: Filled, key: string, leftOut = false): boolean {
	const value = optionOf(bundle, key);
	if (value === undefined) return leftOut;
	if (/^(false|no|n|off|0)$/i.test(textInput(value))) return false;
	if (toBoolean(value)) return true;
	throw invalid(key, 'is neither yes nor no: choose one');
}

/**
 * Reads the phone number of a step that has a Default Country.
 * @returns E.164
 * @throws InputError with the problem of the number or an option, and what to do
 */
export function phoneOption(bundle: Filled, key: string): string {
	return numberOf(bundle, key, phoneOptions);
}

/**
 * Reads the recipient of a text, like {@link phoneOption}. Landlines are rejected unless the step allows them.
 * @param forSeveral name of the step for several numbers, if there is one
 * @throws InputError as {@link phoneOption}
 */
export function recipientOption(bundle: Filled, key: string, forSeveral?: string): string {
	optionOf(bundle, 'landlines');
	return numberOf(bundle, key, textPhoneOptions, forSeveral);
}

function numberOf(bundle: Filled, key: string, options: typeof phoneOptions, forSeveral?: string): string {
	optionOf(bundle, 'default_country');
	optionOf(bundle, 'unknown_number_ranges');
	const read = readPhoneNumber(bundle.inputData[key], options(bundle));
	if (read.ok) return read.e164;
	const several = forSeveral !== undefined && read.problem === 'several_numbers';
	throw invalid(key, several ? `has more than one phone number: to text many people, use ${forSeveral}` : read.message);
}
