// Only the `max` metadata tells a landline from a number that does not exist: `mobile` calls both invalid.
import {
	isSupportedCountry,
	parsePhoneNumberFromString,
	validatePhoneNumberLength,
	type CountryCode,
	type PhoneNumber as Parsed,
	type PhoneNumberType,
} from 'libphonenumber-js/max';
import { problem, type PhoneProblem } from './problem';
import { readTypedNumber, type TypedNumber } from './typedNumber';

/** ISO 3166-1 alpha-2 code of a country with phone numbers of its own. */
export type PhoneCountry = CountryCode;

/**
 * What a number can receive. `special`: toll-free, premium rate and the like; `unknown`: the country's numbering does
 * not tell (the United States), or it is a number of an internet service.
 */
export type PhoneType = 'mobile' | 'landline' | 'special' | 'unknown';

/** A phone number that exists in its country's numbering. Whether anybody has it, only a lookup tells. */
export interface PhoneNumber {
	readonly ok: true;
	/** ITU-T E.164: + and 7 to 15 digits, as the service takes it. */
	readonly e164: string;
	/** Missing for numbers of no country, such as +800. */
	readonly country?: PhoneCountry;
	readonly type: PhoneType;
}

/** Options of {@link readPhoneNumber}. */
export interface PhoneOptions {
	/** Country of numbers written without country code; GH where it is not given. */
	readonly defaultCountry?: PhoneCountry;
	/** Whether a landline is refused, for fields whose message a landline cannot receive; off. */
	readonly refuseLandline?: boolean;
	/** Whether the sandbox's numbers +233 99 000 00NN are taken as mobile; off. */
	readonly sandboxNumbers?: boolean;
}

// As in the contract: plans of some countries (Germany) know shorter and longer numbers, which the service would refuse.
const E164 = /^\+[1-9]\d{6,14}$/;

const SANDBOX_NUMBER = /^\+2339900000\d\d$/;

/** Whether a code names a country with phone numbers, in capitals as in ISO 3166-1. */
export function isPhoneCountry(code: string): code is PhoneCountry {
	return isSupportedCountry(code);
}

/**
 * Makes an E.164 number (docs/api.md#phone-numbers) of what people type and spreadsheets leave of it. A number
 * without + or 00 is one of the default country or refused, never guessed to be one of another country.
 */
export function readPhoneNumber(input: unknown, options: PhoneOptions = {}): PhoneNumber | PhoneProblem {
	const { defaultCountry = 'GH', refuseLandline = false, sandboxNumbers = false } = options;
	const typed = readTypedNumber(input);
	if (!typed.ok) return typed;
	// No country makes a number of seven digits of them, and a long list of them would take long to try.
	if (typed.prefix === 'none' && typed.digits.length < 4) return problem('short_code');

	const readings = candidates(typed, defaultCountry);
	const sandbox = readings.find(({ number }) => SANDBOX_NUMBER.test(number));
	if (sandbox !== undefined) {
		return sandboxNumbers
			? { ok: true, e164: sandbox.number, country: 'GH', type: 'mobile' }
			: problem('sandbox_number');
	}

	const [reading, ...others] = readings.filter((candidate) => candidate.isValid() && E164.test(candidate.number));
	if (reading === undefined) return diagnose(typed, defaultCountry);
	if (others.some(({ number }) => number !== reading.number)) return problem('ambiguous');
	const type = phoneType(reading.getType());
	if (type === 'landline' && refuseLandline) return problem('landline');
	const { number: e164, country } = reading;
	return { ok: true, e164, ...(country === undefined ? {} : { country }), type };
}

/** Everything a typed number may stand for. */
function candidates({ digits, prefix }: TypedNumber, country: PhoneCountry): Parsed[] {
	const texts = {
		plus: [`+${digits}`],
		// 00 is the world's prefix for abroad, but not everybody's: in Nigeria 009 is, and 00 may begin it.
		'double-zero': [`+${digits}`, `00${digits}`],
		none: [digits],
	}[prefix];
	return texts.flatMap((text) => parse(text, country) ?? []);
}

function parse(text: string, defaultCountry: PhoneCountry): Parsed | undefined {
	return parsePhoneNumberFromString(text, { defaultCountry, extract: false });
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
