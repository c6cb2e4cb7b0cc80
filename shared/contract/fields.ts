import { z } from 'zod/v4';

/** Longest message text in characters (service.md, Limits), counted as Unicode code points. */
export const MAX_MESSAGE_CHARACTERS = 1600;

/** A phone number as the service takes it: E.164, a plus sign and 7 to 15 digits (ITU-T E.164). */
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

/** Text of a message: 1 to {@link MAX_MESSAGE_CHARACTERS} code points. */
export const messageText = z
	.string()
	.min(1, 'is empty: write the text to send')
	.refine((text) => [...text].length <= MAX_MESSAGE_CHARACTERS, {
		error: ({ input }) =>
			`has ${[...String(input)].length} characters, the service takes at most ${MAX_MESSAGE_CHARACTERS}: shorten it or send it in parts`,
	})
	.meta({ maxLength: MAX_MESSAGE_CHARACTERS, description: 'Text of the message' });

/** Identifier of a record in a path; given as the service gave it. */
export const recordId = z
	.union([z.string().trim(), z.number().int().transform(String)])
	// A dot segment would be resolved away by the URL and call another endpoint; half a surrogate pair has no URL form.
	.refine((id) => !['', '.', '..'].includes(id) && !/\p{Surrogate}/u.test(id), {
		error: 'is empty or not an ID: give the message ID that the send returned',
	})
	.describe('Identifier as the service gave it');

/** Identifier in an answer: text, or a number that comes out as text. */
export const identifier = z.union([z.string().min(1), z.number()]).transform(String);

const DECIMAL = /^-?(\d+|\d{1,3}(,\d{3})+)(\.\d+)?$/;

/**
 * Amount in an answer, in currency units: a number, or a decimal in text that comes out as a number. A currency code
 * before or after it and commas between thousands are taken; a comma that could be a decimal point is not.
 */
export const money = z.union([
	z.number(),
	z
		.string()
		.transform((text) => text.replace(/^\s*[A-Z]{3}\s*|\s*[A-Z]{3}\s*$/g, '').trim())
		.refine((text) => DECIMAL.test(text))
		.transform((text) => Number(text.replaceAll(',', ''))),
]);
