import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import {
	asText,
	departureOf,
	InputError,
	OUTSIDE_HOURS,
	readSendingHours,
	readTextList,
	type Departure,
	type Schedule,
	type SendingHoursField,
	type SendingHoursRule,
} from '../../../shared';
import type { Session } from '../execution/operation';
import { isBlank, isOptionSet, optionValue } from './parameters';

/** Name of the option. */
const OPTION = 'sendingHours';

/** Names of the option's fields, in an error. */
const LABELS: Readonly<Record<SendingHoursField | 'outside', string>> = {
	from: 'Sending Hours > From',
	until: 'Sending Hours > Until',
	days: 'Sending Hours > Days',
	timeZone: 'Sending Hours > Time Zone',
	holidays: 'Sending Hours > Holidays',
	outside: 'Sending Hours > Outside These Hours',
};

/** It is outside the Sending Hours, and the user chose to stop. The item itself is fine, so a later run can send it. */
export class OutsideHoursError extends InputError {}

/** A departure that sends something. */
export type SendingDeparture = Exclude<Departure, { readonly when: 'stop' }>;

/**
 * Decides when the message of an item leaves, by its Sending Hours.
 * @param planned the time that the user chose; undefined for now
 * @returns an error for hours that cannot be read, and outside the hours if the user wants one
 */
export function departureParameter(
	context: IExecuteFunctions,
	itemIndex: number,
	session: Session,
	planned?: Schedule,
): SendingDeparture | InputError {
	const rule = sendingHours(context, itemIndex);
	if (rule instanceof InputError) return rule;
	const departure = departureOf(planned, session.now, rule, session.leastAheadMs);
	if ('field' in departure) return wrong(LABELS[departure.field], departure.message);
	if (departure.when !== 'stop') return departure;
	return new OutsideHoursError('node', [{ field: OPTION, message: departure.message }]);
}

/** The hours that were read last, because the items of a run usually have the same, and opening a zone takes time. */
const lastRead = new WeakMap<
	IExecuteFunctions,
	{ readonly fields: string; readonly rule: SendingHoursRule | InputError }
>();

/**
 * Reads the Sending Hours of an item.
 * @returns undefined if the option is not set
 */
function sendingHours(context: IExecuteFunctions, itemIndex: number): SendingHoursRule | InputError | undefined {
	if (!isOptionSet(context, OPTION)) return undefined;
	const option = optionValue(context, OPTION, itemIndex);
	const { values } = Object(option) as { readonly values?: IDataObject };
	const fields = values === undefined ? '' : JSON.stringify(values);
	const last = lastRead.get(context);
	if (last?.fields === fields) return last.rule;
	const rule = readRule(context, values);
	lastRead.set(context, { fields, rule });
	return rule;
}

function readRule(context: IExecuteFunctions, values: IDataObject | undefined): SendingHoursRule | InputError {
	if (typeof values !== 'object') return wrong(OPTION, 'are empty: enter the hours, or remove the option');
	const { from, until, days, timeZone, holidays, outside } = values;
	const emptied = emptiedField(context, values);
	if (emptied) return emptied;
	const hours = readSendingHours({
		from: asText(from),
		until: asText(until),
		days: readTextList(days),
		timeZone: isBlank(timeZone) ? context.getTimezone() : asText(timeZone),
		holidays: readTextList(holidays),
	});
	if (!hours.ok) return wrong(LABELS[hours.field], hours.message);
	const chosen = OUTSIDE_HOURS.find((one) => one === outside);
	if (chosen) return { hours, outside: chosen };
	return wrong(LABELS.outside, 'is not one of schedule, skip and stop: choose one');
}

/** An error if an expression of a field that may be empty returns nothing, because a default would be a guess. */
function emptiedField(context: IExecuteFunctions, values: IDataObject): InputError | undefined {
	const { options } = context.getNode().parameters;
	const { values: raw } = Object((Object(options) as IDataObject)[OPTION]) as { readonly values?: IDataObject };
	for (const [field, next] of [
		['timeZone', 'return a name such as Africa/Accra, or clear the field'],
		['holidays', 'return the dates, or an empty list [] for none'],
	] as const) {
		if (isBlank(values[field]) && !isBlank(raw?.[field]))
			return wrong(LABELS[field], `is empty for this item: ${next}`);
	}
	return undefined;
}

function wrong(field: string, message: string): InputError {
	return new InputError('node', [{ field, message }]);
}
