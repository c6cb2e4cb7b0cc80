import type { Bundle } from 'zapier-platform-core';
import {
	asMessage,
	asText,
	InputError,
	isSandboxKey,
	readDefaultCountry,
	readNumber,
	readPhoneNumber,
	scheduleAt,
	type PhoneCountry,
	type PhoneOptions,
	type Schedule,
} from '../../shared';

/**
 * Reads a text field and trims it. A mapped number becomes text. An empty value becomes empty text, which the contract
 * then rejects by the field's name.
 */
export function textInput(value: unknown): string {
	return asText(value).trim();
}

/** Reads a message or a subject, like {@link asMessage}, with all spaces and line breaks. */
export function messageInput(value: unknown): string {
	return asMessage(value);
}

/** Reads an optional text: undefined if it is empty, because empty fields are not sent. */
export function optionalText(value: unknown): string | undefined {
	return textInput(value) || undefined;
}

/** Reads a yes-or-no field. Accepts common words for yes, because a mapped field holds text. */
export function toBoolean(value: unknown): boolean {
	return value === true || /^(true|yes|y|on|1)$/i.test(textInput(value));
}

/** Reads an optional number: undefined if it is empty. @throws InputError if it is not a number */
export function optionalNumber(value: unknown, field: string): number | undefined {
	if (textInput(value) === '') return undefined;
	const read = readNumber(value);
	if (read !== undefined) return read;
	throw invalid(field, 'is not a number: use digits and a point, e.g. 12.50');
}

/** Reads a number. @throws InputError if it is empty or not a number */
export function numberInput(value: unknown, field: string): number {
	const read = optionalNumber(value, field);
	if (read !== undefined) return read;
	throw invalid(field, 'is empty: enter an amount, e.g. 10');
}

/** Reads the names and values of a dictionary field. Skips entries without a name or value. */
export function dictInput(value: unknown): Record<string, string> {
	if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
	const given = Object.entries(value).map(([key, entry]) => [key.trim(), textInput(entry)] as const);
	return Object.fromEntries(given.filter(([key, text]) => key !== '' && text !== ''));
}

/** Makes the error for an invalid field. @param message continues the sentence after the field's name */
export function invalid(field: string, message: string): InputError {
	return new InputError('zapier', [{ field, message }]);
}

/**
 * Converts a phone number as people type it to E.164 (docs/api.md#phone-numbers).
 * @param field name of the field, for the error
 * @throws InputError with the problem and what to do
 */
export function phoneInput(bundle: Pick<Bundle, 'authData' | 'inputData'>, value: unknown, field: string): string {
	const read = readPhoneNumber(value, phoneOptions(bundle));
	if (read.ok) return read.e164;
	throw invalid(field, read.message);
}

/**
 * How a step reads numbers: with its Default Country and Unknown Number Ranges, and with the sandbox's test numbers if it
 * has a sandbox key.
 * @throws InputError for a country or choice that does not exist
 */
export function phoneOptions({ authData, inputData }: Pick<Bundle, 'authData' | 'inputData'>): PhoneOptions {
	const sandboxNumbers = isSandboxKey(authData.api_key ?? '');
	const allowUnknownRanges = isAllowed(inputData, 'unknown_number_ranges');
	return { defaultCountry: countryInput(inputData.default_country), allowUnknownRanges, sandboxNumbers };
}

/** How a step that sends a text reads numbers: like {@link phoneOptions}, without landlines unless Landlines allows them. */
export function textPhoneOptions(bundle: Pick<Bundle, 'authData' | 'inputData'>): PhoneOptions {
	return { ...phoneOptions(bundle), rejectLandline: !isAllowed(bundle.inputData, 'landlines') };
}

function isAllowed(inputData: Bundle['inputData'], key: string): boolean {
	const choice = textInput(inputData[key]).toLowerCase();
	if (choice === 'allow') return true;
	if (choice === 'reject' || choice === '') return false;
	throw invalid(key, 'is neither reject nor allow: choose one of the two');
}

function countryInput(value: unknown): PhoneCountry {
	const country = readDefaultCountry(textInput(value));
	if (typeof country === 'string') return country;
	throw invalid('default_country', country.message);
}

/**
 * Reads an optional date and time. Zapier adds an offset if it understands the value. Otherwise the Zap's time zone
 * applies.
 * @throws InputError if it is not a time in the future
 */
export function scheduleInput({ meta }: Pick<Bundle, 'meta'>, value: unknown, field: string): Schedule | undefined {
	const text = textInput(value);
	if (text === '') return undefined;
	const schedule = scheduleAt(text, { now: Date.now(), localZone: meta.timezone ?? undefined });
	if (schedule.ok) return schedule;
	throw invalid(field, schedule.message);
}
