import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { InputError, isPhoneCountry, readPhoneNumber, type PhoneCountry } from '../../../shared';
import type { Session } from './operation';

/**
 * Reads a parameter that should be text. A number, as spreadsheets and expressions give it, becomes text; an empty
 * cell becomes the empty text, which the contract then refuses by name.
 */
export function textParameter(context: IExecuteFunctions, name: string, itemIndex: number): string {
	const value: unknown = context.getNodeParameter(name, itemIndex, '', { extractValue: true });
	return asText(value).trim();
}

/** Reads a message text: like {@link textParameter}, but with its spaces and line breaks left alone. */
export function messageParameter(context: IExecuteFunctions, name: string, itemIndex: number): string {
	const value: unknown = context.getNodeParameter(name, itemIndex, '');
	return asText(value);
}

/** Reads a parameter that should be a number; what is none is passed on for the contract to refuse by name. */
export function numberParameter(context: IExecuteFunctions, name: string, itemIndex: number): number {
	const value: unknown = context.getNodeParameter(name, itemIndex, '');
	return typeof value === 'number' ? value : asText(value).trim() === '' ? Number.NaN : Number(value);
}

/** Reads the Options of one item. */
export function optionsParameter(context: IExecuteFunctions, itemIndex: number): IDataObject {
	return context.getNodeParameter('options', itemIndex, {});
}

/** Reads the country of numbers that are written without a country code. */
export function countryParameter(context: IExecuteFunctions, itemIndex: number): PhoneCountry | InputError {
	const country = asText(optionsParameter(context, itemIndex).defaultCountry ?? 'GH')
		.trim()
		.toUpperCase();
	if (isPhoneCountry(country)) return country;
	const message = 'is not a country: give its code of two letters, e.g. GH';
	return new InputError('node', [{ field: 'defaultCountry', message }]);
}

/**
 * Reads a phone number as people type it into E.164, with the country of the Default Country option.
 * @param field name of the field on the wire, for an error
 */
export function phoneParameter(
	context: IExecuteFunctions,
	name: string,
	field: string,
	itemIndex: number,
	{ sandbox }: Session,
): string | InputError {
	const defaultCountry = countryParameter(context, itemIndex);
	if (defaultCountry instanceof InputError) return defaultCountry;
	const typed: unknown = context.getNodeParameter(name, itemIndex, '');
	const read = readPhoneNumber(typed, { defaultCountry, sandboxNumbers: sandbox });
	return read.ok ? read.e164 : new InputError('node', [{ field, message: read.message }]);
}

function asText(value: unknown): string {
	if (typeof value === 'string') return value;
	return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}
