import type { IExecuteFunctions } from 'n8n-workflow';
import {
	DEFAULT_BATCH_SIZE,
	InputError,
	planBatches,
	readDoNotText,
	readRecipients,
	type Batch,
	type BulkInput,
	type GivenNumbers,
	type PhoneOptions,
	type Recipient,
	type SkippedRecipient,
} from '../../../../shared';
import type { Run } from '../operation';
import {
	countryParameter,
	messageParameter,
	readable,
	runOptions,
	scheduleParameter,
	sendOnceKey,
	textParameter,
} from '../parameters';

const NAMES = ['doNotText', 'recipientsPerRequest', 'priority', 'splitRefused'];

/** One text and those who get it. */
interface Group {
	readonly text: Omit<BulkInput, 'to'>;
	readonly lists: GivenNumbers[];
}

/** What an input item asks for. */
export interface ItemAsk {
	readonly text: Omit<BulkInput, 'to'>;
	readonly numbers: GivenNumbers;
	readonly sendOnceKey?: string;
}

/** What a bulk send is to do, read from its items. */
export interface BulkAsk {
	/** By place of the item; an error where one cannot be read. */
	readonly items: ReadonlyArray<ItemAsk | InputError>;
	readonly options: BulkOptions;
}

/** The options of a bulk send, which hold for all items. */
export interface BulkOptions {
	readonly phone: PhoneOptions;
	/** E.164. */
	readonly doNotText: ReadonlySet<string>;
	readonly recipientsPerRequest: number;
	readonly splitRefused: boolean;
}

/** Requests to make, and who was set aside. */
export interface BulkPlan {
	readonly batches: readonly Batch[];
	readonly skipped: readonly SkippedRecipient[];
}

/** Reads the fields of all items, or says what is wrong with the options. */
export function readBulk({ context, session, stops }: Run): BulkAsk | InputError {
	const common = readable(() => readOptions(context, session.sandbox), stops);
	if (common instanceof InputError) return common;
	const read = (itemIndex: number): ItemAsk | InputError => {
		const key = sendOnceKey(context, itemIndex);
		if (key instanceof InputError) return key;
		return {
			text: {
				sender_id: textParameter(context, 'senderId', itemIndex),
				message: messageParameter(context, 'message', itemIndex),
				...common.about,
			},
			numbers: { value: context.getNodeParameter('to', itemIndex, ''), source: itemIndex },
			...(key !== undefined && { sendOnceKey: key }),
		};
	};
	const items = context.getInputData().map((_, itemIndex) => readable(() => read(itemIndex), stops));
	return { items, options: common.options };
}

/**
 * Puts the recipients of items with the same text together, and splits them into requests.
 * @param goes whether an item is taken
 */
export function planBulk({ items, options }: BulkAsk, goes: (index: number) => boolean): BulkPlan {
	const { phone, doNotText, recipientsPerRequest } = options;
	const groups = new Map<string, Group>();
	for (const [index, item] of items.entries()) {
		if (item instanceof InputError || !goes(index)) continue;
		const { text, numbers } = item;
		const name = nameOfText(text);
		const group = groups.get(name) ?? { text, lists: [] };
		group.lists.push(numbers);
		groups.set(name, group);
	}
	const batches: Batch[] = [];
	const skipped: SkippedRecipient[] = [];
	for (const { text, lists } of groups.values()) {
		const read = readRecipients(lists, phone, doNotText);
		// One by one: a call takes only so many arguments as the stack holds.
		for (const one of read.skipped) skipped.push(one);
		for (const batch of planBatches(read.recipients, text, recipientsPerRequest, batches.length)) batches.push(batch);
	}
	return { batches, skipped };
}

/** What items must have in common for their recipients to go out together. */
export function nameOfText({ sender_id, message }: ItemAsk['text']): string {
	return JSON.stringify([sender_id, message]);
}

/** The numbers that one item names, as far as they can be read. */
export function recipientsOfItem({ options }: BulkAsk, { numbers }: ItemAsk): readonly Recipient[] {
	const { recipients, skipped } = readRecipients([numbers], options.phone);
	return [...recipients, ...skipped];
}

function readOptions(
	context: IExecuteFunctions,
	sandboxNumbers: boolean,
): { options: BulkOptions; about: Partial<BulkInput> } | InputError {
	const { doNotText, recipientsPerRequest = DEFAULT_BATCH_SIZE, priority, splitRefused } = runOptions(context, NAMES);
	const defaultCountry = countryParameter(context, 0);
	if (defaultCountry instanceof InputError) return defaultCountry;
	const phone = { defaultCountry, sandboxNumbers };
	const out = readDoNotText(doNotText, phone);
	if ('message' in out) return new InputError('node', [{ field: 'doNotText', message: out.message }]);
	const size = Number(recipientsPerRequest);
	if (!Number.isInteger(size) || size < 1) {
		const message = 'is not a whole number above 0: give how many recipients one request may have, e.g. 1000';
		return new InputError('node', [{ field: 'recipientsPerRequest', message }]);
	}
	const schedule = scheduleParameter(context, 'options.sendAt', 0);
	if (schedule instanceof InputError) return schedule;
	return {
		options: { phone, doNotText: out, recipientsPerRequest: size, splitRefused: splitRefused === true },
		about: {
			...(priority === true && { priority: true }),
			...(schedule && { schedule_at: schedule.schedule_at }),
		},
	};
}
