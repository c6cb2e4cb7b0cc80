import { contract, InputError, type Recipient } from '../../../../shared';
import { makeKeyedMessage, sharedKeys, type KeyedMessage } from '../idempotency/keyedMessage';
import type { Run } from '../operation';
import { isSendable, nameOfText, planBulk, recipientsOfItem, type BulkItems, type ItemRequest } from './bulkPlan';

/** The Send Once Keys of a bulk send. */
export interface BulkKeys {
	/**
	 * The messages of the items, by index. Undefined without a key, without a recipient, and with a relay, which has a key
	 * for each recipient.
	 */
	readonly messages: ReadonlyArray<KeyedMessage | undefined>;
	/** The items that share a key with an earlier one: see {@link sharedKeys}. */
	readonly shared: ReadonlyMap<number, number | 'reused'>;
	/** With a relay: the recipients whose key belongs to another message of the run. */
	readonly reused: readonly ReusedRecipient[];
}

/** A recipient whose key belongs to another message of the run. */
export interface ReusedRecipient extends Recipient {
	readonly key: string;
}

/** Reads the Send Once Keys of a bulk send. A key belongs to the item's text, time and set of recipients. */
export function bulkKeysOf(run: Run, bulk: BulkItems): BulkKeys {
	if (run.relay) return { messages: [], shared: new Map(), reused: reusedRecipients(bulk) };
	const messages = bulk.items.map((item) => (isSendable(item) ? messageOf(bulk, item) : undefined));
	return { messages, shared: sharedKeys(messages), reused: [] };
}

/** An item whose numbers are all invalid or excluded holds no key. */
function messageOf(bulk: BulkItems, item: ItemRequest): KeyedMessage | undefined {
	const { sendOnceKey: key, text, givenAt } = item;
	if (key === undefined) return undefined;
	const numbers = recipientsOfItem(bulk, item).recipients.map(({ to }) => to);
	const [first, ...others] = numbers;
	if (first === undefined) return undefined;
	const content = JSON.stringify([nameOfText({ ...text, schedule_at: givenAt }), numbers.sort()]);
	return makeKeyedMessage(key, contract.sms.sendBulk, content, others.length === 0 ? first : undefined);
}

function reusedRecipients(bulk: BulkItems): ReusedRecipient[] {
	const itemOf = ({ source }: Recipient) => {
		const item = bulk.items[source];
		return item === undefined || item instanceof InputError ? undefined : item;
	};
	if (!bulk.items.some((item) => isSendable(item) && item.sendOnceKey !== undefined)) return [];
	const { batches } = planBulk(bulk, (index) => bulk.items[index] !== undefined && isSendable(bulk.items[index]));
	const recipients = batches.flatMap(({ input, recipients: of }) =>
		of.map((recipient) => {
			const item = itemOf(recipient);
			return { ...recipient, key: item?.sendOnceKey, text: nameOfText({ ...input, schedule_at: item?.givenAt }) };
		}),
	);
	const texts = new Map<string, string>();
	return recipients
		.sort((a, b) => a.source - b.source || a.position - b.position)
		.flatMap(({ key, text, ...recipient }) => {
			if (key === undefined) return [];
			const name = JSON.stringify([key, recipient.to]);
			const first = texts.get(name) ?? text;
			texts.set(name, first);
			return first === text ? [] : [{ ...recipient, key }];
		});
}
