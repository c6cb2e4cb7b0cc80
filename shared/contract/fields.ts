import { z } from 'zod/v4';
import { textProblem } from '../text/textProblem';

/**
 * Longest message text in characters (docs/api.md#limits), counted as Unicode code points.
 * @example [...message].length <= MAX_MESSAGE_CHARACTERS
 */
export const MAX_MESSAGE_CHARACTERS = 1600;

/** A phone number as the service accepts it (docs/api.md#phone-numbers): a plus sign and 7 to 15 digits (ITU-T E.164). */
export const phoneNumber = z
	.string()
	.regex(/^\+[1-9]\d{6,14}$/, 'is not an E.164 phone number: write it with + and country code, e.g. +233201234567')
	.describe('Phone number in E.164 format');

/** Name of an approved sender ID, or a short code. */
export const senderIdName = z
	.string()
	.trim()
	.min(1, 'is empty: choose an approved sender ID of your account')
	.describe('Name of an approved sender ID, or a short code');

/** Text of a message as a person writes it: 1 to {@link MAX_MESSAGE_CHARACTERS} code points. */
export const typedText = z
	.string()
	.min(1, { error: 'is empty: write the text', abort: true })
	// A text never has more code points than UTF-16 units, which need no counting.
	.refine((text) => text.length <= MAX_MESSAGE_CHARACTERS || [...text].length <= MAX_MESSAGE_CHARACTERS, {
		error: ({ input }) =>
			`has ${[...String(input)].length} characters, but the service accepts at most ${MAX_MESSAGE_CHARACTERS}: shorten it or send it in parts`,
	});

/**
 * Text of a message to send. White space alone is rejected: it comes from a template with empty fields, and it would be
 * charged. Signs of a broken template are rejected too ({@link textProblem}). Spaces around a text are sent as they are.
 */
export const messageText = typedText
	.refine(showsSomething, 'is empty: write the text')
	.refine(isWhole, { error: wholeError })
	.meta({ maxLength: MAX_MESSAGE_CHARACTERS, description: 'Text of the message' });

/** Text of an email: like {@link messageText}, of any length. */
export const emailText = z
	.string()
	.min(1, { error: 'is empty: write the text', abort: true })
	.refine(showsSomething, 'is empty: write the text')
	.refine(isWhole, { error: wholeError });

/** Subject of an email: one line, because a line break would begin another header of the email. */
export const emailSubject = z
	.string()
	.trim()
	.min(1, 'is empty: write a subject')
	.refine(isOneLine, 'has a line break or another control character: write it in one line')
	.refine(isWhole, { error: wholeError })
	.describe('Subject line');

function isWhole(text: string): boolean {
	return textProblem(text) === undefined;
}

function wholeError({ input }: { readonly input: unknown }): string | undefined {
	return textProblem(String(input));
}

function isOneLine(text: string): boolean {
	return !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text);
}

/**
 * Whether a text contains more than white space and invisible characters.
 * @example showsSomething(' \n\u200b') // false
 */
export function showsSomething(text: string): boolean {
	return /[^\s\p{Cc}\p{Cf}]/u.test(text);
}

/** Email address, checked as browsers check it: one @ and a domain. The service may still reject it. */
export const emailAddress = z
	.email({
		pattern: z.regexes.html5Email,
		error: ({ input }) => {
			const text = String(input);
			if (!isOneLine(text)) return 'has a line break or another control character: remove it';
			if (text.split('@').length > 2) return 'has more than one email address: enter one';
			return 'is not an email address: write it like name@example.com';
		},
	})
	.describe('Email address');

/** `YYYY-MM-DD HH:MM:SS`, a moment that exists in the calendar (docs/api.md#dates-and-times). */
export const mysqlDateTime = z
	.string()
	.refine(isDateTime, 'is not a date and time as YYYY-MM-DD HH:MM:SS, e.g. 2026-12-24 08:30:00')
	.meta({
		pattern: '^\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2}$',
		description: 'Date and time as YYYY-MM-DD HH:MM:SS',
	});

function isDateTime(text: string): boolean {
	if (!/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text)) return false;
	const instant = new Date(`${text.replace(' ', 'T')}Z`);
	// Date turns a day that is not in the calendar, such as 30 February, into a later one.
	return !Number.isNaN(instant.getTime()) && instant.toISOString().slice(0, 19).replace('T', ' ') === text;
}

/** HTTPS address that the checkout returns to (docs/api.md#create-a-top-up). */
export const returnUrl = z
	.string()
	.trim()
	.refine(
		(url) => URL.canParse(url) && new URL(url).protocol === 'https:',
		'is not an https:// address: write it like https://shop.example/thanks',
	)
	.meta({ format: 'uri', description: 'HTTPS address to return to after checkout' });

/** Identifier of a record in a path, as the service gave it. */
function recordIdOf(hint: string) {
	return (
		z
			.union([z.string().trim(), z.number().int().transform(String)])
			// The URL would resolve a dot segment and call another endpoint. Half a surrogate pair has no URL form.
			.refine((id) => !['', '.', '..'].includes(id) && !/\p{Surrogate}/u.test(id), {
				error: `is empty or not an ID: ${hint}`,
			})
			.describe('Identifier as the service gave it')
	);
}

/** Identifier of a message in a path. */
export const messageId = recordIdOf('give the message ID that the send returned');

/** Reference of a top-up in a path. */
export const topUpReference = recordIdOf('give the reference that creating the top-up returned');

/** Identifier in a response: text, or a number that becomes text. */
export const identifier = z
	.union([
		z
			.string()
			.min(1)
			.refine((id) => !/^\s*(none|null|undefined|n\/a)?\s*$/i.test(id.slice(0, 100))),
		z.number(),
	])
	.transform(String);

/** A text, a number or a boolean in a response, as text. An empty text is not accepted. */
export const plainText = z
	.union([z.string().refine((text) => text.trim() !== ''), z.number(), z.boolean()])
	.transform(String);

/** Longest text that is read as an amount, in UTF-16 units. */
const LONGEST_AMOUNT = 64;

/** A currency by code or sign, such as GHS, GH₵ or US$. SMS credits are not money. */
const CURRENCY = '(?:(?!SMS)[A-Z]{3}|Ghs|ghs|[A-Za-z]{0,3}\\p{Sc})';

const AMOUNT = new RegExp(
	`^(-?)(?:${CURRENCY}\\s*)?(-?)((?:\\d+|\\d{1,3}(?:,\\d{3})+)(?:\\.\\d+)?)(?:\\s*${CURRENCY})?$`,
	'u',
);

/**
 * Amount in a response, in currency units: a number, or a decimal in text that becomes a number. A currency code or sign
 * before or after it is accepted, and so are commas between thousands. A comma that could be a decimal point is not.
 */
export const money = z.union([
	z.number(),
	z
		.string()
		.transform(amountIn)
		.refine((amount) => amount !== undefined)
		.transform(Number),
]);

function amountIn(text: string): number | undefined {
	if (text.length > LONGEST_AMOUNT) return undefined;
	const [, before, behind, digits] = AMOUNT.exec(text.trim().replace('\u2212', '-')) ?? [];
	if (digits === undefined || (before && behind)) return undefined;
	return Number(`${before || behind}${digits.replaceAll(',', '')}`);
}
