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
	/** The length of a mobile number, in a range that the metadata does not know. An option can allow it. */
	| 'unknown_range'
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

/** The package with the number ranges of all countries. A test compares it with the installed one. */
export const METADATA = { version: '1.13.16', date: '2026-11-10' } as const;

const example = 'e.g. +233201234567';

const messages: Readonly<Record<PhoneProblemCode, string>> = {
	empty: `is empty: give a phone number, ${example}`,
	not_a_number: `is not a phone number: write it with + and country code, ${example}`,
	letters: `contains letters: remove any name or extension, and give a phone number, ${example}`,
	scientific_notation:
		'was shortened by a spreadsheet (as in 2.33244E+11), so digits may be lost. Format the column as text and enter it again',
	several_numbers: 'holds more than one phone number: give them one by one',
	short_code: `is too short, or is a short code or USSD code: give a full phone number, ${example}`,
	too_short: `has too few digits: check it, and write it with + and country code, ${example}`,
	too_long: `has too many digits: check it, and write it with + and country code, ${example}`,
	unknown_country_code: `begins with a country code that does not exist: check it, ${example}`,
	missing_plus:
		'is not valid in the default country. With + in front it would be: add + if it begins with a country code',
	ambiguous: 'could be a number of two countries: write it with + and country code',
	not_in_use: `is not a valid number in its country: check that no digit is missing or wrong, ${example}`,
	unknown_range: `is in a number range that the list of ${METADATA.date} (libphonenumber-js ${METADATA.version}) does not have: check each digit. If the number is right, set Unknown Number Ranges to Allow`,
	landline: 'is a landline, which cannot receive: give a mobile number',
	sandbox_number: 'is a test number that works only in the sandbox: give a real phone number',
};

/** The rejection for a code, with its message. */
export function problem(code: PhoneProblemCode): PhoneProblem {
	return { ok: false, problem: code, message: messages[code] };
}
