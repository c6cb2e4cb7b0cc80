import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import {
	InputError,
	isPhoneCountry,
	readPhoneNumber,
	scheduleAt,
	type PhoneCountry,
	type Schedule,
} from '../../../shared';
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

/**
 * Reads the Return All and Limit fields.
 * @returns how many results are wanted, `Infinity` for all
 */
export function limitParameter(context: IExecuteFunctions, itemIndex: number): number | InputError {
	if (context.getNodeParameter('returnAll', itemIndex, false) === true) return Number.POSITIVE_INFINITY;
	const limit = numberParameter(context, 'limit', itemIndex);
	if (Number.isInteger(limit) && limit > 0) return limit;
	return new InputError('node', [{ field: 'Limit', message: 'is not a whole number above 0, e.g. 50' }]);
}

/** Reads the Options of one item. */
export function optionsParameter(context: IExecuteFunctions, itemIndex: number): IDataObject {
	return context.getNodeParameter('options', itemIndex, {});
}

/**
 * Reads those Options that hold for the whole run, for the first item. Each is read by itself, so that a bad expression
 * in another one, which is of that item alone, does no harm.
 * @throws n8n's own error for a bad expression in one of these
 */
export function runOptions(context: IExecuteFunctions, names: readonly string[]): IDataObject {
	const set = Object(context.getNode().parameters.options) as IDataObject;
	const given = names.filter((name) => Object.hasOwn(set, name));
	return Object.fromEntries(given.map((name) => [name, context.getNodeParameter(`options.${name}`, 0)])) as IDataObject;
}

/**
 * Reads a time from a date picker, text or expression into the service's `schedule_at`; a text without an offset is
 * meant in the zone of the workflow.
 * @returns undefined where none is given
 */
export function scheduleParameter(
	context: IExecuteFunctions,
	name: string,
	itemIndex: number,
): Schedule | InputError | undefined {
	const moment = momentOf(context.getNodeParameter(name, itemIndex, ''));
	if (moment === undefined) return undefined;
	const schedule = scheduleAt(moment, { now: Date.now(), localZone: context.getTimezone() });
	if (schedule.ok) return schedule;
	return new InputError('node', [{ field: 'schedule_at', message: schedule.message }]);
}

function momentOf(value: unknown): Date | number | string | undefined {
	if (value === undefined || value === null) return undefined;
	if (value instanceof Date || typeof value === 'number') return value;
	if (typeof value === 'string') return value.trim() === '' ? undefined : value;
	// Luxon's DateTime, as {{ $now.plus(...) }} gives it, writes itself in ISO 8601.
	return typeof value === 'object' ? `${value}` : '?';
}

/**
 * Reads the Send Once Key of one item.
 * @returns undefined where the option is not set; an error where it is set and empty, since then nothing would protect
 */
export function sendOnceKey(context: IExecuteFunctions, itemIndex: number): string | InputError | undefined {
	const options = optionsParameter(context, itemIndex);
	if (!('sendOnceKey' in options)) return undefined;
	const key = asText(options.sendOnceKey).trim();
	if (key !== '') return key;
	const message = 'is empty: give what is the same for the same message, such as an order number, or remove the option';
	return new InputError('node', [{ field: 'sendOnceKey', message }]);
}

/** Reads the country of numbers that are written without a country code. */
export function countryParameter(context: IExecuteFunctions, itemIndex: number): PhoneCountry | InputError {
	const given: unknown = context.getNodeParameter('options.defaultCountry', itemIndex, 'GH');
	const country = asText(given ?? 'GH')
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
	const typed: unknown = context.getNodeParameter(name, itemIndex, '', { extractValue: true });
	const read = readPhoneNumber(typed, { defaultCountry, sandboxNumbers: sandbox });
	return read.ok ? read.e164 : new InputError('node', [{ field, message: read.message }]);
}

function asText(value: unknown): string {
	if (typeof value === 'string') return value;
	return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

/**
 * Reads the fields of an item. Where the run goes on after a failure, a bad expression is one of this item's.
 * @throws n8n's own error for a bad expression, where the run stops: it shows the builder the field it is in
 */
export function readable<T>(read: () => T, stops: boolean): T | InputError {
	if (stops) return read();
	try {
		return read();
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		return new InputError('node', [{ field: 'A field of this item', message: `cannot be read: ${reason}` }]);
	}
}
