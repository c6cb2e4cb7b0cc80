import { isSheetError } from '../inputs/sheetError';
import { cutText } from './cutText';

/** Values that a person never writes as the whole text of a message. */
const ONLY_A_VALUE = /^(true|false|undefined|null|NaN|-?Infinity)$/i;

/** Longest part of a text that an error shows, in UTF-16 units. */
const LONGEST_SHOWN = 40;

/**
 * Finds the sign that a text is a broken template: an object or a date that cannot be shown, a placeholder that nothing
 * replaced, or only a value such as `false`. No one sends it on purpose, and it would be charged.
 * @returns the cause and the next step, to be read after the field's name; undefined for other texts
 * @example textProblem('Hi [object Object]') // 'contains [object Object], because ...'
 */
export function textProblem(text: string): string | undefined {
	const whole = text.trim();
	if (whole === '[object Array]') return 'is a list, not a text: choose one of its entries';
	if (/^\[object \w+\]$/.test(whole)) return 'is an object, not a text: choose one of its fields';
	if (ONLY_A_VALUE.test(whole)) return `is only ${whole}, so its value is missing or wrong: check where it comes from`;
	if (isSheetError(whole)) return `is ${whole}, an error of a spreadsheet: correct that cell`;
	const [object] = /\[object \w{1,40}\]/.exec(text) ?? [];
	if (object !== undefined) return `contains ${object}: choose one field of the object or list there`;
	const [date] = /\bInvalid Date(Time)?\b/.exec(text) ?? [];
	if (date !== undefined) return `contains ${date}: check the date there`;
	const placeholder = placeholderIn(text);
	if (placeholder === undefined) return undefined;
	return `contains ${placeholder}, which was not filled in: insert the value again, in n8n as an expression`;
}

/**
 * Finds a placeholder that nothing replaced: `{{`, and `}}` after it. A search for the whole pattern would take quadratic
 * time in a text of braces.
 * @returns as an error shows it, shortened
 */
export function placeholderIn(text: string): string | undefined {
	const start = text.indexOf('{{');
	const end = start < 0 ? -1 : text.indexOf('}}', start + 2);
	if (end < 0) return undefined;
	const shown = cutText(text.slice(start, end + 2).replace(/\s+/g, ' '), LONGEST_SHOWN);
	return shown.endsWith('}}') ? shown : `${shown}…`;
}
