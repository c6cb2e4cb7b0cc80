import { jsonList } from '../inputs/textList';
import { readPhoneNumber, type PhoneOptions } from '../phone/phoneNumber';
import type { PhoneProblem } from '../phone/problem';
import { isShortCode } from '../phone/shortCode';
import { withoutHtml } from '../text/withoutHtml';

/** A list of numbers as given, and the input that it came from. */
export interface GivenNumbers {
	/** A number, a list of numbers, text with commas, semicolons or line breaks between numbers, or a list as JSON text. */
	readonly value: unknown;
	/** Position of the input that gave it, from 0. */
	readonly source: number;
	/** Excluded numbers of this list, in E.164. Default: those of all lists. */
	readonly excludedNumbers?: ReadonlySet<string>;
}

/**
 * A recipient of a message.
 * @example const recipient: Recipient = { to: '+233201234567', source: 0, position: 0 };
 */
export interface Recipient {
	/** E.164. */
	readonly to: string;
	/** Position of the input that gave the number, from 0. */
	readonly source: number;
	/** Position in the whole list as given, including skipped numbers. */
	readonly position: number;
}

/** Why no message is sent to a number of a list. Stable, so callers can branch on it. */
export type SkipReason =
	| 'invalid_number'
	| 'duplicate'
	| 'excluded'
	/** The first message with the same Send Once Key was accepted. */
	| 'already_sent'
	/** Its Send Once Key was used before, and the outcome of that message is not known. */
	| 'key_used'
	/** It is outside the sending hours. */
	| 'outside_sending_hours'
	| 'skipped_by_service';

/**
 * A number that is skipped before anything is sent.
 * @example const rows = read.skipped.map(({ to, message }: SkippedRecipient) => [to, message]);
 */
export interface SkippedRecipient extends Recipient {
	readonly reason: SkipReason;
	/** The cause, as a sentence. */
	readonly message: string;
}

/**
 * The recipients and the skipped numbers of lists.
 * @example const { recipients, skipped }: Recipients = readRecipients(lists, {});
 */
export interface Recipients {
	/** Each number once, in the order in which they were given. */
	readonly recipients: readonly Recipient[];
	readonly skipped: readonly SkippedRecipient[];
}

/** Maximum length shown of a number that cannot be read, in UTF-16 units. */
const LONGEST_SHOWN = 60;

/** Maximum depth of nested lists. A deeper one is not read, because that could overflow the stack. */
const DEEPEST_LIST = 10;

/**
 * Reads the recipients of a message. Numbers as people type them become E.164. Invalid numbers, duplicates and excluded
 * numbers are skipped, each with its own entry. An input without any number gets an entry too, so none goes unnoticed.
 * @param excludedNumbers numbers in E.164
 * @example readRecipients([{ value: '020 123 4567, abc', source: 0 }], {}).recipients[0]?.to // '+233201234567'
 */
export function readRecipients(
	lists: Iterable<GivenNumbers>,
	options: PhoneOptions,
	excludedNumbers: ReadonlySet<string> = new Set(),
): Recipients {
	const recipients: Recipient[] = [];
	const skipped: SkippedRecipient[] = [];
	const seen = new Set<string>();
	let position = 0;
	for (const { value, source, excludedNumbers: excluded = excludedNumbers } of lists) {
		for (const typed of nonEmpty(numbersOf(value))) {
			const read = readPhoneNumber(typed, options);
			const place = { source, position: position++ };
			const skip = (to: string, reason: SkipReason, message: string) => skipped.push({ to, ...place, reason, message });
			if (!read.ok) skip(shown(typed), 'invalid_number', `This ${inList(read)}.`);
			else if (excluded.has(read.e164)) skip(read.e164, 'excluded', 'This number is one of the Excluded Numbers.');
			else if (seen.has(read.e164)) skip(read.e164, 'duplicate', 'This number is already in the list.');
			else {
				recipients.push({ to: read.e164, ...place });
				seen.add(read.e164);
			}
		}
	}
	return { recipients, skipped };
}

/**
 * Reads a list of excluded numbers. An unreadable entry is an error, because skipping it could send to a number that must
 * get no message. A landline, a number in an
 * unknown range and a short code may always be excluded: each may have sent a STOP.
 * @returns the numbers in E.164, and the short codes as given, which equal no recipient; or the cause and the next step, to
 * be read after the list's name
 * @example readExcludedNumbers('020 123 4567', {}) // Set { '+233201234567' }
 */
export function readExcludedNumbers(value: unknown, options: PhoneOptions): ReadonlySet<string> | { message: string } {
	const numbers = new Set<string>();
	for (const typed of numbersOf(value)) {
		const read = readPhoneNumber(typed, { ...options, allowUnknownRanges: true, rejectLandline: false });
		if (read.ok) {
			numbers.add(read.e164);
		} else if (isShortCode(typed, options.defaultCountry)) {
			// It can't be a recipient. An error would stop the campaign for everyone else.
			numbers.add(shown(typed));
		} else {
			const why = 'Correct or remove it, because ignoring it could send to an excluded number';
			return { message: `contains "${shown(typed)}", which ${inList(read)}. ${why}` };
		}
	}
	return numbers;
}

/**
 * Reads a short list in which every number must be valid, for example the approvers of a question. A number that is in the
 * list twice counts once.
 * @param value as in {@link GivenNumbers}
 * @returns the numbers in E.164, in their order; or the cause and the next step, to be read after the field's name
 * @example readPhoneList('020 123 4567, +233244000777', {}) // ['+233201234567', '+233244000777']
 */
export function readPhoneList(value: unknown, options: PhoneOptions): readonly string[] | { message: string } {
	const typed = [...nonEmpty(numbersOf(value))];
	const numbers = new Set<string>();
	for (const one of typed) {
		const read = readPhoneNumber(one, options);
		if (!read.ok) {
			return { message: typed.length === 1 ? read.message : `contains "${shown(one)}", which ${inList(read)}` };
		}
		numbers.add(read.e164);
	}
	return [...numbers];
}

/**
 * The entries of a list as they were given, for rows about numbers that cannot be read. Long ones are shortened.
 * @param value as in {@link GivenNumbers}
 * @example typedNumbers('020 123 4567, abc') // ['020 123 4567', 'abc']
 */
export function typedNumbers(value: unknown): string[] {
	return [...numbersOf(value)].map(shown);
}

/** The cause and the next step for an entry of a list, which may have several numbers. */
function inList({ problem, message }: PhoneProblem): string {
	return problem === 'several_numbers' ? 'has more than one phone number: put commas between them' : message;
}

function* numbersOf(value: unknown, depth = 0): Generator {
	if (Array.isArray(value) && depth < DEEPEST_LIST) {
		for (const entry of value as readonly unknown[]) yield* numbersOf(entry, depth + 1);
	} else if (typeof value !== 'string') {
		if (value !== undefined && value !== null) yield value;
	} else {
		const list = depth < DEEPEST_LIST ? jsonList(value) : undefined;
		if (list) yield* numbersOf(list, depth + 1);
		else
			yield* withoutHtml(value)
				.split(/[,;\n\r\t|]/)
				.filter((part) => part.trim() !== '');
	}
}

function* nonEmpty(numbers: Iterable<unknown>): Generator {
	let some = false;
	for (const number of numbers) {
		some = true;
		yield number;
	}
	if (!some) yield '';
}

function shown(typed: unknown): string {
	const text = typeof typed === 'string' ? typed.trim() : (asJson(typed) ?? 'a value that is not text');
	return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
}

/** A value as JSON; undefined if it has no JSON form, or is nested too deeply. */
function asJson(value: unknown): string | undefined {
	try {
		return JSON.stringify(value);
	} catch {
		return undefined;
	}
}
