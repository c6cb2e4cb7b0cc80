/** Why a number was refused; stable, for callers to branch on. */
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

/** A number that was refused. */
export interface PhoneProblem {
	readonly ok: false;
	readonly problem: PhoneProblemCode;
	/** What is wrong and what to do, to be read after the field's name; never repeats the number. */
	readonly message: string;
}

const example = 'e.g. +233201234567';

const messages: Readonly<Record<PhoneProblemCode, string>> = {
	empty: `is empty: give a phone number, ${example}`,
	not_a_number: `is not a phone number: write it with + and country code, ${example}`,
	letters: `has letters in it: names, sender IDs and extensions cannot receive; give a phone number, ${example}`,
	scientific_notation:
		'was cut short by a spreadsheet (as in 2.33244E+11), so digits may be lost: format the column as text and enter the number again',
	several_numbers: 'holds more than one phone number: give them one by one',
	short_code: `is a short code or a dialling code, which cannot receive: give a phone number, ${example}`,
	too_short: `has too few digits: check it, and write it with + and country code, ${example}`,
	too_long: `has too many digits: check it, and write it with + and country code, ${example}`,
	unknown_country_code: `begins with a country code that does not exist: check it, ${example}`,
	missing_plus: 'is no number of the default country, but would be one of another country: if so, put + in front of it',
	ambiguous: 'can be read as a number of two countries: write it with + and country code',
	not_in_use: `is not a number that its country uses: check that no digit is missing or wrong, ${example}`,
	landline: 'is a landline, which cannot receive: give a mobile number',
	sandbox_number: 'is a test number that only the sandbox knows: give a real phone number',
};

/** The refusal for a code, worded. */
export function problem(code: PhoneProblemCode): PhoneProblem {
	return { ok: false, problem: code, message: messages[code] };
}
