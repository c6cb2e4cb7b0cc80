/** Why a number was rejected. Stable, so callers can branch on it. */
export type PhoneProblemCode =
	| 'empty'
	| 'not_a_number'
	| 'letters'
	/** The error that a cell of a spreadsheet shows instead of its value. */
	| 'sheet_error'
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

/** A rejected number. */
export interface PhoneProblem {
	readonly ok: false;
	readonly problem: PhoneProblemCode;
	/** The cause and the next step, to be read after the field's name. Never contains the number. */
	readonly message: string;
}

const example = 'such as +233201234567';

const messages: Readonly<Record<PhoneProblemCode, string>> = {
	empty: `is empty: enter a phone number, ${example}, or check the field that it comes from`,
	not_a_number: `is not a phone number: write it with + and country code, ${example}`,
	letters: `contains letters: remove any name or extension, and enter a phone number, ${example}`,
	sheet_error: 'is an error of a spreadsheet, such as #N/A or #REF!: correct that cell',
	scientific_notation:
		'was shortened by a spreadsheet (as in 2.33244E+11), so digits may be lost. Format the column as text and enter it again',
	several_numbers: 'has more than one phone number: enter only one',
	short_code: 'is too short to be a phone number, or a code such as *124#: enter the whole number',
	too_short: `is too short to be a phone number: enter the whole number, ${example}`,
	too_long: `has too many digits: check it, and write it with + and country code, ${example}`,
	unknown_country_code: `begins with a country code that does not exist: check it, and enter a number ${example}`,
	missing_plus: 'is not a number of the default country: if it begins with a country code, put + in front',
	ambiguous: 'could be a number of two countries: write it with + and country code',
	not_in_use: `is not a valid number in its country: check that no digit is missing or wrong, ${example}`,
	unknown_range:
		'begins like no known phone number: check each digit. If the number is right, set Unknown Number Ranges to Allow',
	landline: 'is a landline, which cannot receive: give a mobile number, or set Landlines to Allow',
	sandbox_number: 'is a test number that works only in the sandbox: enter a real phone number',
};

/** The rejection for a code, with its message. */
export function problem(code: PhoneProblemCode): PhoneProblem {
	return { ok: false, problem: code, message: messages[code] };
}
