import type { Bundle } from 'zapier-platform-core';
import {
	InputError,
	isSandboxKey,
	readPhoneCountry,
	readPhoneNumber,
	scheduleAt,
	type PhoneCountry,
	type PhoneOptions,
	type Schedule,
} from '../../shared';

/**
 * Reads a field that should be text. A number, as a mapped field may give it, becomes text; what is empty becomes the
 * empty text, which the contract then refuses by name.
 */
export function textInput(value: unknown): string {
	return messageInput(value).trim();
}

/** Reads a message text: like {@link textInput}, but with its spaces and line breaks left alone. */
export function messageInput(value: unknown): string {
	if (typeof value === 'string') return value;
	return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

/** Reads an optional text: undefined where it is empty, so that nothing empty is sent. */
export function optionalText(value: unknown): string | undefined {
	return textInput(value) || undefined;
}

/** Reads a yes-or-no field; true also as the words that a mapped field may give. */
export function toBoolean(value: unknown): boolean {
	return value === true || /^(true|yes|y|on|1)$/i.test(textInput(value));
}

/** Reads an optional number: undefined where it is empty. @throws InputError where it is none */
export function optionalNumber(value: unknown, field: string): number | undefined {
	const text = textInput(value);
	if (text === '') return undefined;
	const read = Number(text);
	if (Number.isFinite(read)) return read;
	throw invalid(field, 'is not a number: write it with digits and a point, e.g. 12.50');
}

/** Reads a number. @throws InputError where it is empty or none */
export function numberInput(value: unknown, field: string): number {
	const read = optionalNumber(value, field);
	if (read !== undefined) return read;
	throw invalid(field, 'is empty: give an amount, e.g. 10');
}

/** Reads names and values that a person added; what has no name or no value is left out. */
export function dictInput(value: unknown): Record<string, string> {
	if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
	const given = Object.entries(value).map(([key, entry]) => [key.trim(), textInput(entry)] as const);
	return Object.fromEntries(given.filter(([key, text]) => key !== '' && text !== ''));
}

/** The error for a field that cannot be right. @param message to be read after the field's name */
export function invalid(field: string, message: string): InputError {
	return new InputError('zapier', [{ field, message }]);
}

/**
 * Reads a phone number as people type it into E.164.
 * @param field name of the field, for the error
 * @throws InputError with what is wrong and what to do
 */
export function phoneInput(bundle: Pick<Bundle, 'authData' | 'inputData'>, value: unknown, field: string): string {
	const read = readPhoneNumber(value, phoneOptions(bundle));
	if (read.ok) return read.e164;
	throw invalid(field, read.message);
}

/** How numbers are read in a step: with its Default Country, and with the sandbox's numbers where the key is its own. */
export function phoneOptions({ authData, inputData }: Pick<Bundle, 'authData' | 'inputData'>): PhoneOptions {
	const sandboxNumbers = isSandboxKey(authData.api_key ?? '');
	return { defaultCountry: countryInput(inputData.default_country), sandboxNumbers };
}

function countryInput(value: unknown): PhoneCountry {
	const country = readPhoneCountry(textInput(value) || 'GH');
	if (country !== undefined) return country;
	throw invalid('default_country', 'is not a country: give its code of two letters, e.g. GH');
}

/**
 * Reads an optional date and time. Zapier gives it with an offset where it understood what was typed; else it is taken
 * to be in the time zone of the Zap.
 * @throws InputError where it is no time to come
 */
export function scheduleInput({ meta }: Pick<Bundle, 'meta'>, value: unknown, field: string): Schedule | undefined {
	const text = textInput(value);
	if (text === '') return undefined;
	const schedule = scheduleAt(text, { now: Date.now(), localZone: meta.timezone ?? undefined });
	if (schedule.ok) return schedule;
	throw invalid(field, schedule.message);
}
