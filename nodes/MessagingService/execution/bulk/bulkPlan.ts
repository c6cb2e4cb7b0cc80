import type { IExecuteFunctions } from 'n8n-workflow';
import {
	contract,
	DEFAULT_BATCH_SIZE,
	groupRecipients,
	InputError,
	planGroups,
	predictCall,
	readRecipients,
	typedNumbers,
	type Batch,
	type BulkInput,
	type BulkLine,
	type MovedFields,
	type OutsideHoursFields,
	type PhoneOptions,
	type Recipient,
	type Recipients,
	type SkippedRecipient,
	type Schedule,
} from '../../../../shared';
import type { Run } from '../operation';
import {
	excludedNumbers as readExcluded,
	isOptionSet,
	messageParameter,
	numberOption,
	optionValue,
	priorityOption,
	readOrError,
	sendAtOption,
	sendOnceKey,
	switchOption,
	textParameter,
	phoneOptionsParameter,
} from '../../host/parameters';
import { letOthersRun } from '../../host/letOthersRun';
import { departureParameter } from '../../host/sendingHours';

/** Most recipients in a request with a key for each (docs/relay.md#requests). */
const MOST_WITH_KEYS = 10_000;

const SIZE_RANGE = { min: 1, whole: true, expected: '1 or more, e.g. 1000' };

/** The fields of an input item. */
export interface ItemRequest extends BulkLine<Omit<BulkInput, 'to'>> {
	readonly sendOnceKey?: string;
	/** The time that the user gave, as the service's `schedule_at`; undefined for now. Sending Hours can move it. */
	readonly givenAt: string | undefined;
	/** Fields of its accepted rows, if the Sending Hours moved it to a later time. */
	readonly moved?: MovedFields;
	/** Why it is skipped outside the Sending Hours. */
	readonly outsideHours?: OutsideHoursFields;
}

/** The items and options of a bulk send. */
export interface BulkItems {
	/** By item index; an error for an item that cannot be read. */
	readonly items: ReadonlyArray<ItemRequest | InputError>;
	readonly options: BulkRunOptions;
}

/** The options of a bulk send, which hold for all items. */
export interface BulkRunOptions {
	readonly phone: PhoneOptions;
	readonly recipientsPerRequest: number;
	readonly skipRejectedNumbers: boolean;
	/** Whether the requests go through a relay. */
	readonly throughRelay: boolean;
}

/** The requests to make, and the skipped recipients. */
export interface BulkPlan {
	readonly batches: readonly Batch[];
	readonly skipped: readonly SkippedRecipient[];
}

/**
 * Reads the fields of all items.
 * @returns an error if an option that holds for all items is wrong
 */
export async function readBulk({ context, session, relay }: Run): Promise<BulkItems | InputError> {
	const options = readOrError(() => readOptions(context, session.sandbox, relay !== undefined));
	if (options instanceof InputError) return options;
	const steady = steadyTimes();
	const excluded = exclusions(context, options.phone);
	const times = new Map<number, SteadyTime>();
	const read = (itemIndex: number): ItemRequest | InputError => {
		const key = sendOnceKey(context, itemIndex);
		if (key instanceof InputError) return key;
		const priority = priorityOption(context, itemIndex);
		if (priority instanceof InputError) return priority;
		const excludedNumbers = excluded(itemIndex);
		if (excludedNumbers instanceof InputError) return excludedNumbers;
		const schedule = sendAtOption(context, itemIndex);
		if (schedule instanceof InputError) return schedule;
		if (schedule) times.set(itemIndex, steady.timeOf(schedule));
		return {
			text: {
				sender_id: textParameter(context, 'senderId', itemIndex),
				message: messageParameter(context, 'message', itemIndex),
				...priority,
			},
			numbers: { value: context.getNodeParameter('to', itemIndex, ''), source: itemIndex, excludedNumbers },
			...(key !== undefined && { sendOnceKey: key }),
			givenAt: undefined,
		};
	};
	const items: Array<ItemRequest | InputError> = [];
	for (const itemIndex of context.getInputData().keys()) {
		await letOthersRun(itemIndex);
		items.push(readOrError(() => read(itemIndex)));
	}
	const departing = (item: ItemRequest, itemIndex: number): ItemRequest | InputError => {
		const planned = times.get(itemIndex)?.schedule;
		const departure = departureParameter(context, itemIndex, session, planned);
		if (departure instanceof InputError) return departure;
		if (departure.when === 'now') return item;
		if (departure.when === 'never') return { ...item, outsideHours: departure.skipped };
		const { schedule, moved } = departure;
		const text = { ...item.text, schedule_at: schedule.schedule_at };
		return { ...item, text, givenAt: planned?.schedule_at, ...(moved && { moved }) };
	};
	const checked = checkTexts();
	const timed: Array<ItemRequest | InputError> = [];
	for (const [itemIndex, item] of items.entries()) {
		await letOthersRun(itemIndex);
		const one = item instanceof InputError ? item : readOrError(() => departing(item, itemIndex));
		timed.push(isSendable(one) ? (checked(one.text) ?? one) : one);
	}
	return { items: timed, options };
}

/** Finds the errors of texts, each text once. So nothing is sent before a wrong text of a later item is found. */
function checkTexts(): (text: ItemRequest['text']) => InputError | undefined {
	const known = new Map<string, InputError | undefined>();
	return (text) => {
		const name = nameOfText(text);
		if (!known.has(name)) {
			const checked = predictCall(contract.sms.sendBulk, { ...text, to: contract.sms.sendBulk.example.input.to });
			const error = checked.outcome === 'accepted' ? undefined : checked.error;
			known.set(name, error instanceof InputError ? error : undefined);
		}
		return known.get(name);
	};
}

/** Whether an item may be sent: it can be read, and the Sending Hours don't skip it. */
export function isSendable(item: ItemRequest | InputError): item is ItemRequest {
	return !(item instanceof InputError) && item.outsideHours === undefined;
}

/**
 * Groups the recipients of items with the same text, sender, time and priority, and splits them into requests.
 * @param goes whether to include an item
 * @param first number of the first request, if earlier ones were planned
 */
export function planBulk({ items, options }: BulkItems, goes: (index: number) => boolean, first = 0): BulkPlan {
	const lines = items.filter((item, index): item is ItemRequest => !(item instanceof InputError) && goes(index));
	const groups = groupRecipients(lines, nameOfText, options.phone);
	const parts = options.throughRelay ? groups.flatMap((group) => partsOf(items, group)) : groups;
	const batches = planGroups(parts, options.recipientsPerRequest, first);
	return { batches, skipped: groups.flatMap(({ skipped }) => skipped) };
}

/** Divides a group by the times that the Sending Hours moved, because a request to a relay has one such time. */
function partsOf(
	items: BulkItems['items'],
	{ text, recipients }: { readonly text: ItemRequest['text']; readonly recipients: readonly Recipient[] },
): Array<{ text: ItemRequest['text']; recipients: Recipient[] }> {
	const parts = new Map<string | undefined, Recipient[]>();
	for (const recipient of recipients) {
		const time = movedFrom(items[recipient.source]);
		const part = parts.get(time) ?? [];
		part.push(recipient);
		parts.set(time, part);
	}
	return Array.from(parts.values(), (part) => ({ text, recipients: part }));
}

/**
 * The time that an item with a Send Once Key gave, or `now`, if the Sending Hours moved it. Items without a key share
 * requests, whatever their times were.
 */
export function movedFrom(item: ItemRequest | InputError | undefined): string | undefined {
	if (item === undefined || item instanceof InputError || item.sendOnceKey === undefined || !item.moved)
		return undefined;
	return item.givenAt ?? 'now';
}

/** Makes a name that is equal for items whose recipients may share a request. */
export function nameOfText({ sender_id, message, priority, schedule_at }: ItemRequest['text']): string {
	return JSON.stringify([sender_id, message, priority === true, schedule_at ?? null]);
}

/**
 * The recipients of an item that cannot be sent, so that each gets a row. A number that cannot be read stays as it was given.
 * @returns none if the To field has no number, or cannot be read
 */
export function recipientsOfTo({ context, session }: Run, index: number): readonly Recipient[] {
	const read = readOrError(() => ({
		value: context.getNodeParameter('to', index, ''),
		phone: phoneOptionsParameter(context, 0, session.sandbox),
	}));
	if (read instanceof InputError) return [];
	const { value, phone } = read;
	const typed = typedNumbers(value);
	if (typed.length === 0) return [];
	if (phone instanceof InputError) return typed.map((to, position) => ({ to, source: index, position }));
	const { recipients, skipped } = readRecipients([{ value, source: index }], phone);
	return [...recipients, ...skipped].map(({ to, source, position }) => ({ to, source, position }));
}

/** The numbers of one item, as far as they can be read. */
export function recipientsOfItem({ options }: BulkItems, { numbers }: ItemRequest): Recipients {
	return readRecipients([numbers], options.phone);
}

function readOptions(
	context: IExecuteFunctions,
	sandboxNumbers: boolean,
	throughRelay: boolean,
): BulkRunOptions | InputError {
	const phone = phoneOptionsParameter(context, 0, sandboxNumbers);
	if (phone instanceof InputError) return phone;
	const size = numberOption(context, 'recipientsPerRequest', 0, SIZE_RANGE);
	if (size instanceof InputError) return size;
	const skipRejectedNumbers = switchOption(context, 'skipRejectedNumbers', 0, true);
	if (skipRejectedNumbers instanceof InputError) return skipRejectedNumbers;
	return {
		phone,
		recipientsPerRequest: Math.min(size ?? DEFAULT_BATCH_SIZE, throughRelay ? MOST_WITH_KEYS : Infinity),
		skipRejectedNumbers,
		throughRelay,
	};
}

/**
 * Reads the Excluded Numbers of each item. Consecutive items usually have the same list, so it is read once. Reading a
 * long list for many items would take minutes.
 * @returns a function that returns the list of one item: numbers in E.164, none if the option is not set
 */
function exclusions(
	context: IExecuteFunctions,
	phone: PhoneOptions,
): (itemIndex: number) => ReadonlySet<string> | InputError {
	if (!isOptionSet(context, 'excludedNumbers')) return () => new Set();
	let last: { readonly value: unknown; readonly numbers: ReadonlySet<string> | InputError } | undefined;
	return (itemIndex) => {
		const value = optionValue(context, 'excludedNumbers', itemIndex);
		if (!last || !isSame(last.value, value)) last = { value, numbers: readExcluded(value, phone) };
		return last.numbers;
	};
}

function isSame(a: unknown, b: unknown): boolean {
	if (!Array.isArray(a) || !Array.isArray(b)) return a === b;
	return a.length === b.length && a.every((entry, index) => entry === b[index]);
}

/** The time of a group of items. It is final when all items are read. */
interface SteadyTime {
	readonly schedule: Schedule;
}

/** Merges times of one run that differ only because the items are read one after the other. */
interface SteadyTimes {
	/** Returns the time of an item's group. Call it as soon as the item is read. */
	timeOf(schedule: Schedule): SteadyTime;
}

/** The service's times have whole seconds, so the distance to the clock varies by up to one second. */
const ROUNDING_MS = 1000;

/**
 * Groups the times of a run. `{{ $now.plus(...) }}` gives a later second to items that are read later. They would go
 * out in separate requests, and a number in both would get the message twice. Times with the same distance to their
 * reading count as one time, the latest, so that nothing goes out early.
 * @param now the current time, in milliseconds since 1970
 */
export function steadyTimes(now: () => number = Date.now): SteadyTimes {
	const groups = new Map<number, { distanceMs: number; latest: Schedule }>();
	return {
		timeOf: (schedule) => {
			const distanceMs = Date.parse(schedule.instant) - now();
			const place = Math.floor(distanceMs / ROUNDING_MS);
			const near = [place, place - 1, place + 1]
				.flatMap((one) => groups.get(one) ?? [])
				.find((group) => Math.abs(group.distanceMs - distanceMs) < ROUNDING_MS);
			const group = near ?? { distanceMs, latest: schedule };
			if (!near) groups.set(place, group);
			if (schedule.instant > group.latest.instant) group.latest = schedule;
			return {
				get schedule() {
					return group.latest;
				},
			};
		},
	};
}
