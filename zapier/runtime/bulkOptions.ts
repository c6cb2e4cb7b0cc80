import type { Bundle } from 'zapier-platform-core';
import {
	readExcludedNumbers,
	type BulkInput,
	type MovedFields,
	type OutsideHoursFields,
	type PhoneOptions,
} from '../../shared';
import { invalid, scheduleInput, textInput, textPhoneOptions } from './inputs';
import { requireFilled, singleValue } from './mapped';
import { numberOption, textOption, yesOption } from './optionFields';
import { departureInput } from './sendingHours';

type StepBundle = Pick<Bundle, 'authData' | 'inputData' | 'inputDataRaw' | 'meta'>;

/** Options of a bulk send: all fields except the recipients, the message and the Send Once Key. */
export interface BulkOptions {
	/** Part of every request. */
	readonly common: Omit<BulkInput, 'to' | 'message'>;
	/** Time to send, as ISO text in UTC; undefined for now. */
	readonly sendAt: string | undefined;
	/** Time that the user chose, as ISO text in UTC; undefined for now. */
	readonly plannedAt: string | undefined;
	/** Set if the Sending Hours moved it to a later time. */
	readonly moved: MovedFields | undefined;
	/** The time that the user chose, as the service's `schedule_at`, or `now`, if the Sending Hours moved it. */
	readonly movedFrom: string | undefined;
	/** Set if it is skipped outside the Sending Hours. */
	readonly outsideHours: OutsideHoursFields | undefined;
	readonly phone: PhoneOptions;
	/** E.164. */
	readonly excludedNumbers: ReadonlySet<string>;
	/** Most numbers in one request; undefined for the default. */
	readonly numbersPerRequest: number | undefined;
	/** Whether to send a rejected request again without the rejected numbers. */
	readonly skipRejectedNumbers: boolean;
}

const MAP_OR_CLEAR = 'map a value that every run has, or clear the field';

/** Advice if a field is empty in a run, by key of the field. */
const HINTS: Readonly<Record<string, string>> = {
	send_at: `${MAP_OR_CLEAR} to send now`,
	// A list that failed to load looks empty, and everyone on it would get the message.
	excluded_numbers: 'if the list can be empty, add a number of your own as a second value',
	skip_rejected_numbers: MAP_OR_CLEAR,
	numbers_per_request: MAP_OR_CLEAR,
	priority: MAP_OR_CLEAR,
	default_country: MAP_OR_CLEAR,
	unknown_number_ranges: MAP_OR_CLEAR,
	landlines: MAP_OR_CLEAR,
};

/**
 * Reads the options of a bulk send.
 * @throws InputError for an option that is filled in the Zap but empty in this run, or that cannot be read: neither may
 * mean "now", "everybody" or a default
 */
export function readBulkOptions(bundle: StepBundle): BulkOptions {
	const { inputData } = bundle;
	requireFilled(bundle, HINTS);
	singleValue(inputData.default_country, 'default_country');
	singleValue(inputData.unknown_number_ranges, 'unknown_number_ranges');
	singleValue(inputData.landlines, 'landlines');
	const phone = textPhoneOptions(bundle);
	const excludedNumbers = readExcludedNumbers(inputData.excluded_numbers, phone);
	if ('message' in excludedNumbers) throw invalid('excluded_numbers', excludedNumbers.message);
	const planned = scheduleInput(bundle, singleValue(inputData.send_at, 'send_at'), 'send_at');
	const departure = departureInput(bundle, planned);
	const { schedule, moved } = departure.when === 'at' ? departure : {};
	const priority = yesOption(bundle, 'priority');
	return {
		common: {
			sender_id: textInput(inputData.sender_id),
			...(priority && { priority }),
			...(schedule && { schedule_at: schedule.schedule_at }),
		},
		sendAt: schedule?.instant,
		plannedAt: planned?.instant,
		moved,
		movedFrom: moved && (planned?.schedule_at ?? 'now'),
		outsideHours: departure.when === 'never' ? departure.skipped : undefined,
		phone,
		excludedNumbers,
		numbersPerRequest: readNumbersPerRequest(bundle),
		skipRejectedNumbers: yesOption(bundle, 'skip_rejected_numbers', true),
	};
}

/**
 * Whether the recipients are line items, each with its own message, instead of a list with one message.
 * @throws InputError for a choice that is empty in this run or does not exist
 */
export function isOfLines(bundle: StepBundle): boolean {
	const choice = textOption(bundle, 'recipients_from');
	if (choice === 'line_items') return true;
	if (choice === 'list' || choice === undefined) return false;
	throw invalid('recipients_from', 'is neither list nor line_items: choose one of the two');
}

function readNumbersPerRequest(bundle: StepBundle): number | undefined {
	const read = numberOption(bundle, 'numbers_per_request');
	if (read === undefined || (Number.isInteger(read) && read > 0)) return read;
	throw invalid('numbers_per_request', 'is not a whole number above 0: enter one, or clear the field');
}
