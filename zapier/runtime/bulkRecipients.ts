import { readRecipients, type PhoneOptions, type Recipient, type SkippedRecipient } from '../../shared';
import { messageInput } from './inputs';

/** A text, and whom it goes to. */
export interface MessageGroup {
	readonly message: string;
	readonly recipients: readonly Recipient[];
	readonly skipped: readonly SkippedRecipient[];
}

/** A line of a step's line items. */
export interface Line {
	readonly to: unknown;
	readonly message: string;
}

/**
 * Puts lines with the same text together, so that they leave in one request. A number that has the same text twice is
 * texted once; with another text it is texted again.
 * @param excludedNumbers numbers in E.164
 */
export function readMessageGroups(
	lines: readonly Line[],
	options: PhoneOptions,
	excludedNumbers: ReadonlySet<string>,
): readonly MessageGroup[] {
	const byText = new Map<string, Array<{ value: unknown; source: number }>>();
	for (const [source, { to, message }] of lines.entries()) {
		const numbers = byText.get(message) ?? [];
		numbers.push({ value: to, source });
		byText.set(message, numbers);
	}
	return [...byText].map(([message, numbers]) => ({ message, ...readRecipients(numbers, options, excludedNumbers) }));
}

/**
 * Reads the lines of line items. Zapier gives them as a list under the name of the whole, or, where nothing with several
 * items was mapped, the fields of the only line beside the other fields.
 * @param inputData of a step whose lines are `lines`, with the fields `line_to` and `line_message`
 */
export function readLines({ lines, line_to, line_message }: Readonly<Record<string, unknown>>): Line[] {
	if (Array.isArray(lines)) return lines.map(readLine);
	return [line_to, line_message].every((value) => value === undefined) ? [] : [readLine({ line_to, line_message })];
}

function readLine(line: unknown): Line {
	const fields: { line_to?: unknown; line_message?: unknown } = typeof line === 'object' && line !== null ? line : {};
	return { to: fields.line_to, message: messageInput(fields.line_message) };
}
