import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import {
	asMessage,
	asText,
	InputError,
	readDefaultCountry,
	readExcludedNumbers,
	readNumber,
	readPhoneList,
	readPhoneNumber,
	readSendOnceKey,
	scheduleAt,
	type PhoneCountry,
	type PhoneOptions,
	type Schedule,
} from '../../../shared';
import type { Session } from '../execution/operation';

/**
 * Reads a text parameter. A number from a spreadsheet or expression becomes text. An empty cell becomes the empty text,
 * which the contract then rejects with the field's name.
 */
export function textParameter(context: IExecuteFunctions, name: string, itemIndex: number): string {
	const value: unknown = context.getNodeParameter(name, itemIndex, '', { extractValue: true });
	return asText(value).trim();
}

/** Reads the text of a message or a subject, like {@link asMessage}, with all spaces and line breaks. */
export function messageParameter(context: IExecuteFunctions, name: string, itemIndex: number): string {
	const value: unknown = context.getNodeParameter(name, itemIndex, '');
	return asMessage(value);
}

/** Reads a number parameter. Any other value becomes `NaN`, which the contract then rejects with the field's name. */
export function numberParameter(context: IExecuteFunctions, name: string, itemIndex: number): number {
	const value: unknown = context.getNodeParameter(name, itemIndex, '');
	return readNumber(value) ?? Number.NaN;
}

/**
 * Reads the Return All and Limit fields.
 * @returns the maximum number of results, `Infinity` for all
 */
export function limitParameter(context: IExecuteFunctions, itemIndex: number): number | InputError {
	if (context.getNodeParameter('returnAll', itemIndex, false) === true) return Number.POSITIVE_INFINITY;
	const limit = numberParameter(context, 'limit', itemIndex);
	if (Number.isInteger(limit) && limit > 0) return limit;
	return new InputError('node', [{ field: 'Limit', message: 'is not a whole number above 0: enter one, e.g. 50' }]);
}

/** Reads the Options of one item. */
export function optionsParameter(context: IExecuteFunctions, itemIndex: number): IDataObject {
	return context.getNodeParameter('options', itemIndex, {});
}

/** Whether the user added an option to the node, whatever its value is. */
export function isOptionSet(context: IExecuteFunctions, name: string): boolean {
	const known = setOptions.get(context);
	const set = known ?? new Set(Object.keys(Object(context.getNode().parameters.options) as IDataObject));
	if (!known) setOptions.set(context, set);
	return set.has(name);
}

/** A cache, because `getNode` copies the whole node, and every item reads several options. */
const setOptions = new WeakMap<IExecuteFunctions, ReadonlySet<string>>();

/**
 * Reads a single option of an item, so that a bad expression in another option does no harm.
 * @returns undefined if the option is not set, and also if its expression returns nothing: see {@link isOptionSet}
 * @throws n8n's own error for a bad expression
 */
export function optionValue(context: IExecuteFunctions, name: string, itemIndex: number): unknown {
	return isOptionSet(context, name) ? context.getNodeParameter(`options.${name}`, itemIndex) : undefined;
}

/** The range of a number option. */
export interface NumberRange {
	/** The smallest value. */
	readonly min?: number;
	/** The value must be above this one. */
	readonly above?: number;
	/** The largest value. Without it there is no limit. */
	readonly max?: number;
	/** Whether only whole numbers are allowed. */
	readonly whole?: boolean;
	/** Describes the range in an error, after "enter", e.g. "a whole number from 1 to 250". */
	readonly expected: string;
}

/**
 * Reads a number option. Digits as text count as that number.
 * @param field the field's name in an error: its name in the labels, or its display name
 * @returns undefined if the option is not set; an error if it is set to anything else, because the user did not ask for
 * a default
 */
export function numberOption(
	context: IExecuteFunctions,
	name: string,
	itemIndex: number,
	range: NumberRange,
	field: string = name,
): number | undefined | InputError {
	if (!isOptionSet(context, name)) return undefined;
	const value = optionValue(context, name, itemIndex);
	const wrong = (what: string) =>
		new InputError('node', [{ field, message: `${what}: enter ${range.expected}, or remove the option` }]);
	if (isBlank(value)) return wrong('is empty');
	const number = readNumber(value);
	if (number === undefined) return wrong('is not a number');
	if (range.whole && !Number.isInteger(number)) return wrong(`is ${number}, not a whole number`);
	const { min = Number.NEGATIVE_INFINITY, above = Number.NEGATIVE_INFINITY } = range;
	if (number < min || number <= above) return wrong(`is ${number}, which is too low`);
	if (range.max !== undefined && number > range.max) return wrong(`is ${number}, which is too high`);
	return number;
}

/**
 * Reads an option that is on or off. The texts `true` and `false` count as these values.
 * @param unset its value if the option is not set
 * @returns an error if the option is set and is neither
 */
export function switchOption(
	context: IExecuteFunctions,
	name: string,
	itemIndex: number,
	unset = false,
): boolean | InputError {
	if (!isOptionSet(context, name)) return unset;
	const value = optionValue(context, name, itemIndex);
	if (typeof value === 'boolean') return value;
	const text = typeof value === 'string' ? value.trim().toLowerCase() : '';
	if (text === 'true' || text === 'false') return text === 'true';
	const what = isBlank(value) ? 'is empty' : 'is neither true nor false';
	return new InputError('node', [{ field: name, message: `${what}: enter true or false, or remove the option` }]);
}

/**
 * Reads the Priority option of an item.
 * @returns the field of the request (docs/api.md#send-an-sms), or an empty object
 */
export function priorityOption(context: IExecuteFunctions, itemIndex: number): { priority?: true } | InputError {
	const priority = switchOption(context, 'priority', itemIndex);
	return priority === true ? { priority } : priority === false ? {} : priority;
}

/** Whether a value is missing or an empty text. */
export function isBlank(value: unknown): boolean {
	return value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
}

/**
 * Converts a time from a date picker, text or expression to the service's `schedule_at`. A text without an offset is in
 * the time zone of the workflow.
 * @returns undefined if the field is empty
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
	// Luxon's DateTime, the result of {{ $now.plus(...) }}, converts itself to ISO 8601. A list or an object is not a
	// time, even if it is empty.
	return typeof value === 'object' ? `${value}` || '?' : '?';
}

/**
 * Reads the Send At option of one item, like {@link scheduleParameter}.
 * @returns undefined if the option is not set; an error if it is set and empty, because the message would go out now
 */
export function sendAtOption(context: IExecuteFunctions, itemIndex: number): Schedule | InputError | undefined {
	if (!isOptionSet(context, 'sendAt')) return undefined;
	const schedule = scheduleParameter(context, 'options.sendAt', itemIndex);
	if (schedule !== undefined) return schedule;
	const message = 'is empty: choose when to send, or remove the option to send now';
	return new InputError('node', [{ field: 'schedule_at', message }]);
}

/**
 * Reads a list of numbers that get no message. An empty list, `[]`, excludes no number. Any other value without a
 * number is an error, because every number would get the message.
 * @param value the value of the option
 * @returns the numbers in E.164
 */
export function excludedNumbers(value: unknown, phone: PhoneOptions): ReadonlySet<string> | InputError {
	const wrong = (message: string) => new InputError('node', [{ field: 'excludedNumbers', message }]);
	const numbers = readExcludedNumbers(value, phone);
	if ('message' in numbers) return wrong(numbers.message);
	const emptyList = Array.isArray(value)
		? value.length === 0
		: typeof value === 'string' && /^\s*\[\s*\]\s*$/.test(value);
	if (numbers.size > 0 || emptyList) return numbers;
	return wrong('is empty: enter the numbers, use an empty list [] to exclude none, or remove the option');
}

/**
 * Reads the Send Once Key of one item.
 * @returns undefined if the option is not set; an error if it is set and is no key of one message
 */
export function sendOnceKey(context: IExecuteFunctions, itemIndex: number): string | InputError | undefined {
	if (!isOptionSet(context, 'sendOnceKey')) return undefined;
	const value = optionValue(context, 'sendOnceKey', itemIndex);
	const template: unknown = context.getNodeParameter('options.sendOnceKey', itemIndex, '', { rawExpressions: true });
	const key = readSendOnceKey(value, template);
	return typeof key === 'string' ? key : new InputError('node', [{ field: 'sendOnceKey', message: key.message }]);
}

/** Reads the country of numbers without a country code. */
function countryParameter(context: IExecuteFunctions, itemIndex: number): PhoneCountry | InputError {
	const typed = asText(optionValue(context, 'defaultCountry', itemIndex));
	const wrong = (message: string) => new InputError('node', [{ field: 'defaultCountry', message }]);
	if (typed.trim() === '' && isOptionSet(context, 'defaultCountry'))
		return wrong('is empty: enter a two-letter code, e.g. GH, or remove the option');
	const country = readDefaultCountry(typed);
	return typeof country === 'string' ? country : wrong(country.message);
}

/** Resources whose messages a landline cannot receive. Other operations accept them. */
const TEXT_RESOURCES: readonly unknown[] = ['sms', 'whatsapp', 'verification'];

/**
 * Reads how an item reads phone numbers: with its Default Country, Unknown Number Ranges and Landlines, and with the
 * sandbox's test numbers if the credential is a sandbox's.
 * @returns the options; an error that names the option that cannot be read
 */
export function phoneOptionsParameter(
	context: IExecuteFunctions,
	itemIndex: number,
	sandboxNumbers: boolean,
): PhoneOptions | InputError {
	const defaultCountry = countryParameter(context, itemIndex);
	if (defaultCountry instanceof InputError) return defaultCountry;
	const allowUnknownRanges = isAllowed(context, 'unknownNumberRanges', itemIndex);
	if (allowUnknownRanges instanceof InputError) return allowUnknownRanges;
	const options = { defaultCountry, sandboxNumbers, allowUnknownRanges };
	if (!TEXT_RESOURCES.includes(context.getNodeParameter('resource', itemIndex, ''))) return options;
	const allowLandlines = isAllowed(context, 'landlines', itemIndex);
	return allowLandlines instanceof InputError ? allowLandlines : { ...options, rejectLandline: !allowLandlines };
}

/** Reads an option that is Reject or Allow. If it is not set, it is Reject. */
function isAllowed(context: IExecuteFunctions, name: string, itemIndex: number): boolean | InputError {
	if (!isOptionSet(context, name)) return false;
	const choice = optionValue(context, name, itemIndex);
	if (choice === 'reject' || choice === 'allow') return choice === 'allow';
	const message = 'is neither Reject (reject) nor Allow (allow): choose one, or remove the option';
	return new InputError('node', [{ field: name, message }]);
}

/**
 * Converts a phone number as people type it to E.164, with the country of the Default Country option.
 * @param field the field's name on the wire, for an error
 */
export function phoneParameter(
	context: IExecuteFunctions,
	name: string,
	field: string,
	itemIndex: number,
	{ sandbox }: Session,
): string | InputError {
	const options = phoneOptionsParameter(context, itemIndex, sandbox);
	if (options instanceof InputError) return options;
	const typed: unknown = context.getNodeParameter(name, itemIndex, '', { extractValue: true });
	const read = readPhoneNumber(typed, options);
	if (read.ok) return read.e164;
	const bulk = read.problem === 'several_numbers' && context.getNodeParameter('resource', itemIndex, '') === 'sms';
	const message = bulk ? 'has more than one phone number: to text many people, choose Send Bulk' : read.message;
	return new InputError('node', [{ field, message }]);
}

/**
 * Converts a list of phone numbers to E.164, like {@link phoneParameter}. A number that cannot be read fails the whole
 * list.
 * @param field the field's name on the wire, for an error
 * @returns each number once, in the order of the list
 */
export function phonesParameter(
	context: IExecuteFunctions,
	name: string,
	field: string,
	itemIndex: number,
	{ sandbox }: Session,
): readonly string[] | InputError {
	const options = phoneOptionsParameter(context, itemIndex, sandbox);
	if (options instanceof InputError) return options;
	const typed: unknown = context.getNodeParameter(name, itemIndex, '', { extractValue: true });
	const read = readPhoneList(typed, options);
	return 'message' in read ? new InputError('node', [{ field, message: read.message }]) : read;
}

/**
 * Reads the fields of an item. If the run continues after a failure, a bad expression fails only this item.
 * @throws n8n's own error for a bad expression, if the run stops: it shows the user the field
 */
export function readable<T>(read: () => T, stops: boolean): T | InputError {
	return stops ? read() : readOrError(read);
}

/** Reads fields. A bad expression becomes an error whose `cause` is n8n's own error, which shows the user the field. */
export function readOrError<T>(read: () => T): T | InputError {
	try {
		return read();
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		const unreadable = new InputError('node', [
			{ field: 'A field of this item', message: `cannot be read: ${reason}` },
		]);
		unreadable.cause = error;
		return unreadable;
	}
}
