// Only the `max` metadata distinguishes a landline from an invalid number: with `mobile` both are invalid.
import {
	isSupportedCountry,
	parsePhoneNumberFromString,
	validatePhoneNumberLength,
	type CountryCode,
	type PhoneNumber as Parsed,
	type PhoneNumberType,
} from 'libphonenumber-js/max';
import { hasMobileLength } from './mobileLength';
import { problem, type PhoneProblem } from './problem';
import { readTypedNumber, type TypedNumber } from './typedNumber';

/**
 * ISO 3166-1 alpha-2 code of a country with its own phone numbers.
 * @example const country: PhoneCountry = 'GH';
 */
export type PhoneCountry = CountryCode;

/** Country of numbers without a country code, unless the caller names another. */
export const DEFAULT_COUNTRY: PhoneCountry = 'GH';

/**
 * The type of a phone number. `special`: toll-free, premium rate and the like. `unknown`: numbers of the country do not
 * show their type (the United States), or the number belongs to an internet service.
 */
export type PhoneType = 'mobile' | 'landline' | 'special' | 'unknown';

/** A phone number that is valid in its country. Only a lookup shows whether it is in use. */
export interface PhoneNumber {
	readonly ok: true;
	/** ITU-T E.164: + and 7 to 15 digits, as the service accepts it. */
	readonly e164: string;
	/** Missing for numbers of no country, such as +800. */
	readonly country?: PhoneCountry;
	readonly type: PhoneType;
}

/**
 * Options of {@link readPhoneNumber}.
 * @example const options: PhoneOptions = { defaultCountry: 'NG', rejectLandline: true };
 */
export interface PhoneOptions {
	/** Country of numbers without a country code. Default: GH. */
	readonly defaultCountry?: PhoneCountry;
	/** Whether a landline is rejected, for messages that a landline cannot receive. Default: false. */
	readonly rejectLandline?: boolean;
	/**
	 * Whether a number passes if it has the length of a mobile number in a range that the metadata does not know yet. Its
	 * type is then `unknown`. Default: false.
	 */
	readonly allowUnknownRanges?: boolean;
	/** Whether the sandbox's numbers +233 99 000 00NN are accepted, as mobile numbers. Default: false. */
	readonly sandboxNumbers?: boolean;
}

// As in the contract. Some countries (Germany) have shorter and longer numbers, which the service would reject.
const E164 = /^\+[1-9]\d{6,14}$/;

/** Mexico took the 1 out of its mobile numbers in 2019. WhatsApp still reports them with it. */
const OLD_MEXICAN = /^521(?=[2-9]\d{9}$)/;

const SANDBOX_NUMBER = /^\+2339900000\d\d$/;

/** Whether a code names a country with phone numbers, in capitals as in ISO 3166-1. */
export function isPhoneCountry(code: string): code is PhoneCountry {
	return isSupportedCountry(code);
}

/**
 * Reads a phone number as people type it or as a spreadsheet changed it, and gives it in E.164
 * (docs/api.md#phone-numbers). A number without + or 00 must be valid in the default country, or it is rejected. It is
 * never guessed to belong to another country.
 * @returns the number, or the reason for the rejection
 * @example
 * const read = readPhoneNumber('020 123 4567');
 * if (read.ok) console.log(read.e164); // '+233201234567'
 */
export function readPhoneNumber(input: unknown, options: PhoneOptions = {}): PhoneNumber | PhoneProblem {
	const { defaultCountry = DEFAULT_COUNTRY, rejectLandline = false, sandboxNumbers = false } = options;
	const { allowUnknownRanges = false } = options;
	const typed = readTypedNumber(input);
	if (!typed.ok) return typed;
	// No country has such short numbers, and trying a long list of them would be slow.
	if (typed.prefix === 'none' && typed.digits.length < 4) return problem('short_code');

	const readings = candidates(typed, defaultCountry);
	const sandbox = readings.find(({ number }) => SANDBOX_NUMBER.test(number));
	if (sandbox !== undefined) {
		return sandboxNumbers
			? { ok: true, e164: sandbox.number, country: 'GH', type: 'mobile' }
			: problem('sandbox_number');
	}

	const possible = readings.filter(({ number }) => E164.test(number));
	const valid = possible.filter((candidate) => candidate.isValid());
	if (valid.length === 0) {
		const found = diagnose(typed, defaultCountry);
		const unknown = found.problem === 'not_in_use' ? possible.filter(hasMobileLength) : [];
		if (unknown.length === 0) return found;
		return allowUnknownRanges ? choose(unknown, rejectLandline) : problem('unknown_range');
	}
	return choose(valid, rejectLandline);
}

/** The number that all readings agree on. */
function choose([reading, ...others]: readonly Parsed[], rejectLandline: boolean): PhoneNumber | PhoneProblem {
	if (reading === undefined) return problem('not_a_number');
	if (others.some(({ number }) => number !== reading.number)) return problem('ambiguous');
	const type = phoneType(reading.getType());
	if (type === 'landline' && rejectLandline) return problem('landline');
	const { number: e164, country } = reading;
	return { ok: true, e164, ...(country === undefined ? {} : { country }), type };
}

/** All numbers that a typed number may mean. */
function candidates({ digits, prefix }: TypedNumber, country: PhoneCountry): Parsed[] {
	const texts = {
		plus: [`+${digits}`],
		// 00 is the usual prefix for international calls, but Nigeria has 009, and a local number may begin with 00.
		'double-zero': [`+${digits}`, `00${digits}`],
		none: [country === 'MX' ? digits.replace(OLD_MEXICAN, '52') : digits],
	}[prefix];
	return texts.flatMap((text) => parse(text, country) ?? []);
}

function parse(text: string, defaultCountry: PhoneCountry): Parsed | undefined {
	const today = text.startsWith('+') ? `+${text.slice(1).replace(OLD_MEXICAN, '52')}` : text;
	return parsePhoneNumberFromString(today, { defaultCountry, extract: false });
}

function phoneType(type: PhoneNumberType | undefined): PhoneType {
	switch (type) {
		case 'MOBILE':
			return 'mobile';
		case 'FIXED_LINE':
			return 'landline';
		case 'FIXED_LINE_OR_MOBILE':
		case 'VOIP':
		case 'PERSONAL_NUMBER':
		case undefined:
			return 'unknown';
		default:
			return 'special';
	}
}

function diagnose({ digits, prefix }: TypedNumber, defaultCountry: PhoneCountry): PhoneProblem {
	const international = prefix !== 'none';
	if (!international && digits.length <= 6) return problem('short_code');
	if (!international && parse(`+${digits}`, defaultCountry)?.isValid()) return problem('missing_plus');
	switch (validatePhoneNumberLength(international ? `+${digits}` : digits, { defaultCountry })) {
		case 'TOO_SHORT':
			return problem('too_short');
		case 'TOO_LONG':
			return problem('too_long');
		case 'INVALID_COUNTRY':
			return problem('unknown_country_code');
		case 'NOT_A_NUMBER':
			return problem(digits.length < 7 ? 'too_short' : 'not_a_number');
		default:
			return problem('not_in_use');
	}
}
