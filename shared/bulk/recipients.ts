import { readPhoneNumber, type PhoneOptions } from '../phone/phoneNumber';

/** A list of numbers as it was given, and where it came from. */
export interface GivenNumbers {
	/** A number, a list of them, or text with commas, semicolons or line breaks between; also a list as JSON text. */
	readonly value: unknown;
	/** Place of the input that gave it, from 0. */
	readonly source: number;
	/** Numbers in E.164 that this list must not reach; those of all lists unless given. */
	readonly excludedNumbers?: ReadonlySet<string>;
}

/** Somebody who is to be texted. */
export interface Recipient {
	/** E.164. */
	readonly to: string;
	/** Place of the input that gave the number. */
	readonly source: number;
	/** Place in the whole list as it was given, those set aside included. */
	readonly position: number;
}

/** Why a number of a list is not texted; stable, for callers to branch on. */
export type SkipReason =
	| 'invalid_number'
	| 'duplicate'
	| 'excluded'
	/** Sent before under its Send Once Key. */
	| 'already_sent'
	/** Its Send Once Key was used before, and what that came to is not known. */
	| 'key_used'
	| 'skipped_by_service';

/** A number that is set aside before anything is sent. */
export interface SkippedRecipient extends Recipient {
	readonly reason: SkipReason;
	/** What is wrong, as a sentence. */
	readonly message: string;
}

/** What {@link readRecipients} makes of the lists. */
export interface Recipients {
	/** Each number once, in the order in which they were given. */
	readonly recipients: readonly Recipient[];
	readonly skipped: readonly SkippedRecipient[];
}

/** Longest text that is repeated of a number that cannot be read, in UTF-16 units. */
const LONGEST_SHOWN = 60;

/** How deep lists may be nested. A deeper one is no number; following it down could end the process's stack. */
const DEEPEST_LIST = 10;

/**
 * Reads whom a text goes to: numbers as people type them become E.164, duplicates and excluded numbers are set
 * aside, and so is what is no number. An input that gives none is set aside too, so that nothing is passed over in
 * silence.
 * @param excludedNumbers numbers in E.164
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
			if (!read.ok) skip(shown(typed), 'invalid_number', `This ${read.message}.`);
			else if (excluded.has(read.e164)) skip(read.e164, 'excluded', 'This number is one of the Excluded Numbers.');
			else if (seen.has(read.e164)) skip(read.e164, 'duplicate', 'This number stands in the list before.');
			else {
				recipients.push({ to: read.e164, ...place });
				seen.add(read.e164);
			}
		}
	}
	return { recipients, skipped };
}

/**
 * Reads a list of excluded numbers. Nothing in it may be unreadable: a number that is passed over would be texted.
 * @returns the numbers in E.164, or what is wrong, to be read after the list's name
 */
export function readExcludedNumbers(value: unknown, options: PhoneOptions): ReadonlySet<string> | { message: string } {
	const numbers = new Set<string>();
	for (const typed of numbersOf(value)) {
		const read = readPhoneNumber(typed, options);
		if (!read.ok) {
			return { message: `holds "${shown(typed)}", which ${read.message}. Correct it, so that nobody on it is texted` };
		}
		numbers.add(read.e164);
	}
	return numbers;
}

function* numbersOf(value: unknown, depth = 0): Generator {
	if (Array.isArray(value) && depth < DEEPEST_LIST) {
		for (const entry of value as readonly unknown[]) yield* numbersOf(entry, depth + 1);
	} else if (typeof value !== 'string') {
		if (value !== undefined && value !== null) yield value;
	} else {
		const list = depth < DEEPEST_LIST ? jsonList(value) : undefined;
		if (list) yield* numbersOf(list, depth + 1);
		else yield* value.split(/[,;\n\r\t|]/).filter((part) => part.trim() !== '');
	}
}

function jsonList(text: string): readonly unknown[] | undefined {
	if (!text.trimStart().startsWith('[')) return undefined;
	try {
		const value: unknown = JSON.parse(text);
		return Array.isArray(value) ? value : undefined;
	} catch {
		return undefined;
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
	const text = typeof typed === 'string' ? typed.trim() : (asJson(typed) ?? 'a value that is no text');
	return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
}

/** A value as JSON; undefined if it has no JSON form, or is nested deeper than JSON can be written. */
function asJson(value: unknown): string | undefined {
	try {
		return JSON.stringify(value);
	} catch {
		return undefined;
	}
}
