/**
 * Why a number was rejected. Stable, so callers can branch on it.
 * @example if (!read.ok && read.problem === 'missing_plus') suggestPlus();
 */
export type PhoneProblemCode =
	| 'empty'
	| 'not_a_number'
	| 'letters'
	| 'scientific_notation'
	| 'several_numbers'
	| 'short_code'
	| 'too_short'
	| 'too_long'
	| 'unknown_country_code'
	| 'missing_plus'
	| 'ambiguous'
	| 'not_in_use'
	| 'landline'
	| 'sandbox_number';

/**
 * A rejected number.
 * @example if (!read.ok) throw new Error(`To ${read.message}`);
 */
export interface PhoneProblem {
	readonly ok: false;
	readonly problem: PhoneProblemCode;
	/** The cause and the next step, to be read after the field's name. Never contains the number. */
	readonly message: string;
}

const example = 'e.g. +233201234567';

const messages: Readonly<Record<PhoneProblemCode, string>> = {
	empty: `is empty: give a phone number, ${example}`,
	not_a_number: `is not a phone number: write it with + and country code, ${example}`,
	letters: `contains letters, so it cannot receive: give a phone number, ${example}`,
	scientific_notation:
		'was shortened by a spreadsheet (2.33244E+11): format the column as text and enter the number again',
	several_numbers: 'holds more than one phone number: give them one by one',
	short_code: `is too short, or a short code or USSD code that cannot receive: give a phone number, ${example}`,
	too_short: `has too few digits: check it, and write it with + and country code, ${example}`,
	too_long: `has too many digits: check it, and write it with + and country code, ${example}`,
	unknown_country_code: `begins with a country code that does not exist: check it, ${example}`,
	missing_plus: 'is not valid in the default country: if it begins with another country code, put + in front',
	ambiguous: 'could be a number of two countries: write it with + and country code',
	not_in_use: `is not a valid number in its country: check that no digit is missing or wrong, ${example}`,
	landline: 'is a landline, which cannot receive: give a mobile number',
	sandbox_number: 'is a test number that works only in the sandbox: give a real phone number',
};

/** The rejection for a code, with its message. */
export function problem(code: PhoneProblemCode): PhoneProblem {
	return { ok: false, problem: code, message: messages[code] };
}
