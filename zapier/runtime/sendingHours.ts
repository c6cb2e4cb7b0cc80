import type { Bundle } from 'zapier-platform-core';
import {
	departureOf,
	OUTSIDE_HOURS,
	readSendingHours,
	readTextList,
	type Departure,
	type Schedule,
	type SendingHoursField,
	type SendingHoursRule,
} from '../../shared';
import { sendingHoursFields } from '../fields';
import { invalid } from './inputs';
import { isBlank, requireFilled } from './mapped';
import { textOption } from './optionFields';

type StepBundle = Pick<Bundle, 'authData' | 'inputData' | 'inputDataRaw' | 'meta'>;

/** A departure that sends something, or skips it. */
export type SendingDeparture = Exclude<Departure, { readonly when: 'stop' }>;

/** Keys of the step's fields, by the parts of the hours. */
const KEYS: Readonly<Record<SendingHoursField, string>> = {
	from: 'hours_from',
	until: 'hours_until',
	days: 'sending_days',
	timeZone: 'hours_time_zone',
	holidays: 'holidays',
};

const DEFAULT_DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

const HINTS: Readonly<Record<string, string>> = {
	...Object.fromEntries(
		sendingHoursFields.map(({ key }) => [key, 'map a value that every run has, or clear the field']),
	),
	// A list that failed to load looks empty, and messages would go out on a holiday.
	holidays: 'if there can be none, add a date in the past as a second value',
};

/**
 * Decides when the message of a step leaves, by its Sending Hours. They are checked once, when the step starts.
 * @param planned the time that the user chose; undefined for now
 * @throws InputError for hours that cannot be read, and outside the hours if the user wants the run to stop
 */
export function departureInput(bundle: StepBundle, planned: Schedule | undefined): SendingDeparture {
	const departure = departureOf(planned, Date.now(), sendingHours(bundle));
	if ('field' in departure) throw invalid(KEYS[departure.field], departure.message);
	if (departure.when === 'stop') throw invalid('Sending Hours', departure.message);
	return departure;
}

/** Reads the hours; undefined if the Zap has none. @throws InputError for a field that cannot be read */
function sendingHours(bundle: StepBundle): SendingHoursRule | undefined {
	requireFilled(bundle, HINTS);
	const { inputData, meta } = bundle;
	const from = textOption(bundle, KEYS.from);
	const until = textOption(bundle, KEYS.until);
	if (from === undefined && until === undefined) {
		// Each new step has the choice to schedule, because it is the default.
		const choice = textOption(bundle, 'outside_hours') === 'schedule' ? [] : ['outside_hours'];
		const alone = [KEYS.days, KEYS.timeZone, KEYS.holidays, ...choice].find((key) => !isBlank(inputData[key]));
		if (alone === undefined) return undefined;
		throw invalid(alone, 'has no effect without the hours: enter Sending Hours From and Until, or clear the field');
	}
	const days = readTextList(inputData[KEYS.days]);
	const hours = readSendingHours({
		from: from ?? '',
		until: until ?? '',
		days: days.length > 0 ? days : DEFAULT_DAYS,
		timeZone: textOption(bundle, KEYS.timeZone) ?? meta.timezone ?? '',
		holidays: readTextList(inputData[KEYS.holidays]),
	});
	if (!hours.ok) throw invalid(KEYS[hours.field], hours.message);
	const chosen = textOption(bundle, 'outside_hours') ?? 'schedule';
	const outside = OUTSIDE_HOURS.find((one) => one === chosen);
	if (outside) return { hours, outside };
	throw invalid('outside_hours', 'is not one of schedule, skip and stop: choose one');
}
