import { isSheetError } from '../inputs/sheetError';
import { jsonList } from '../inputs/textList';
import { asciiDigits } from '../text/asciiDigits';
import { withoutHtml } from '../text/withoutHtml';
import { problem, type PhoneProblem } from './problem';

/** The digits of a typed number, and whether they begin with a country code. */
export interface TypedNumber {
	readonly ok: true;
	readonly digits: string;
	/** `plus`: +233...; `double-zero`: 00233..., without the zeros; `none`: no sign of a country. */
	readonly prefix: 'plus' | 'double-zero' | 'none';
}

/**
 * Maximum length of a text that is read as a number, in UTF-16 units. Longer text comes from a wrong column or from an
 * attacker: not even normalizing Unicode takes linear time.
 */
const LONGEST_TYPED = 250;

/**
 * Removes spaces, dashes, brackets, quotes and spreadsheet formats from a number, and rejects text that is not a single
 * number. Never drops a possible digit.
 * @param input text, or a number as a spreadsheet cell or JSON gives it, or a list with only one of them
 */
export function readTypedNumber(input: unknown): TypedNumber | PhoneProblem {
	const list: unknown = typeof input === 'string' ? jsonList(input.slice(0, LONGEST_TYPED)) : input;
	if (Array.isArray(list)) return readOnly(list);
	if (typeof input === 'number') return readNumber(input);
	if (input === undefined || input === null) return problem('empty');
	if (typeof input !== 'string') return problem('not_a_number');

	const trimmed = input.trim();
	if (trimmed.length > LONGEST_TYPED) return diagnoseLong(trimmed);
	const text = tidy(trimmed);
	if (text === '') return problem('empty');
	if (isSheetError(text)) return problem('sheet_error');
	if (/^[+-]?\d+([.,]\d+)?e[+-]?\d+$/i.test(text)) return problem('scientific_notation');
	if (/\p{L}/u.test(text)) return problem('letters');
	if (/[*#]/.test(text)) return problem('short_code');
	if (holdsSeveral(text)) return problem('several_numbers');
	const bare = withoutSpreadsheetFormat(text);
	// A plus may be inside a bracket: (+233) 24 123 4567.
	if (!/^\(?\+{0,2}\s*[\d(][\d\s()./-]*$/.test(bare)) return problem('not_a_number');
	const digits = bare.replace(/\D/g, '');
	if (digits === '') return problem('not_a_number');
	// In "+00233" both + and 00 are prefixes.
	if (digits.startsWith('00')) return { ok: true, digits: digits.slice(2), prefix: 'double-zero' };
	return { ok: true, digits, prefix: bare.includes('+') ? 'plus' : 'none' };
}

/** Reads the only entry of a list, as a linked field of Airtable gives it. Blank entries do not count. */
function readOnly(list: readonly unknown[]): TypedNumber | PhoneProblem {
	const [entry, ...others] = list.filter((one) => one !== null && one !== undefined && one !== '');
	if (others.length > 0) return problem('several_numbers');
	return Array.isArray(entry) ? problem('not_a_number') : readTypedNumber(entry);
}

/** Finds the problem of a text that is too long to be a number, from its beginning only. */
function diagnoseLong(text: string): PhoneProblem {
	const beginning = readTypedNumber(text.slice(0, LONGEST_TYPED));
	return beginning.ok || beginning.problem === 'empty' ? problem('not_a_number') : beginning;
}

function readNumber(value: number): TypedNumber | PhoneProblem {
	if (!Number.isSafeInteger(value) || value <= 0) return problem('not_a_number');
	const digits = String(value);
	// 2.33244E+11 as a number: only six of twelve digits are left, and the zeros are wrong.
	if (digits.length >= 11 && /0{5,}$/.test(digits) && digits.replace(/0+$/, '').length <= 6) {
		return problem('scientific_notation');
	}
	return { ok: true, digits, prefix: 'none' };
}

function tidy(input: string): string {
	return asciiDigits(
		withoutHtml(input)
			// Full-width digits and signs, no-break spaces.
			.normalize('NFKC')
			// Direction marks and other invisible characters, which contact apps copy too.
			.replace(/\p{Cf}/gu, '')
			.replace(/[\p{Pd}\u2212]/gu, '-')
			.trim()
			// The apostrophe that marks a cell as text, ="0241234567", and a comma that a list left behind.
			.replace(/^[='"‘’“”`,;\s]+/, '')
			// The lookbehind matches only at the start of a run. Otherwise each position would scan the rest of the run.
			.replace(/(?<!['"‘’“”`,;\s])['"‘’“”`,;\s]+$/, '')
			// Links, the addresses of WhatsApp gateways, and p: of the lead forms of Meta.
			.replace(/^(?:tel|callto|sms|whatsapp|p):\s*/i, '')
			.replace(/^\+?(\d+)@(?:c\.us|s\.whatsapp\.net)$/i, '+$1'),
	);
}

function holdsSeveral(text: string): boolean {
	const parts = text.split(/[,;|/&\n]+|(?!^)(?=\+)/).filter((part) => part.replace(/\D/g, '').length >= 7);
	return parts.length > 1;
}

function withoutSpreadsheetFormat(text: string): string {
	if (/^\+?\d{7,}\.0{1,2}$/.test(text)) return text.replace(/\.0+$/, '');
	return /^\d{1,3}(,\d{3}){2,}$/.test(text) ? text.replaceAll(',', '') : text;
}
