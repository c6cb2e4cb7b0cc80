import type { PhoneOptions } from '../phone/phoneNumber';
import { planBatches, type Batch, type BulkInput } from './batches';
import { readRecipients, type GivenNumbers, type Recipients } from './recipients';

/**
 * A message, and the numbers that one input gives for it.
 * @example const line: BulkLine<string> = { text: 'We are open', numbers: { value: '020 123 4567', source: 0 } };
 */
export interface BulkLine<Text> {
	readonly text: Text;
	readonly numbers: GivenNumbers;
}

/** A message and all its recipients. */
export interface RecipientGroup<Text> extends Recipients {
	readonly text: Text;
}

/**
 * Groups lines with the same message, to send them in one request. Each number gets a message once, but may get several
 * different messages.
 * @param nameOf gives equal names to messages whose recipients may share a request
 * @param excludedNumbers numbers in E.164
 * @returns the groups in the order of their first lines
 * @example groupRecipients(lines, (message) => message, { defaultCountry: 'GH' })[0]?.recipients
 */
export function groupRecipients<Text>(
	lines: Iterable<BulkLine<Text>>,
	nameOf: (text: Text) => string,
	options: PhoneOptions,
	excludedNumbers?: ReadonlySet<string>,
): Array<RecipientGroup<Text>> {
	const groups = new Map<string, { readonly text: Text; readonly lists: GivenNumbers[] }>();
	for (const { text, numbers } of lines) {
		const name = nameOf(text);
		const group = groups.get(name) ?? { text, lists: [] };
		group.lists.push(numbers);
		groups.set(name, group);
	}
	return Array.from(groups.values(), ({ text, lists }) => ({
		text,
		...readRecipients(lists, options, excludedNumbers),
	}));
}

/**
 * Divides the recipients of several messages into batches, in the order of the groups.
 * @param size maximum number of recipients in one request; undefined for the default
 * @param first number of the first batch, if other batches precede it
 * @example planGroups(groupRecipients(lines, ({ message }) => message, {}), 500).map(({ name }) => name) // ['0', '1']
 */
export function planGroups(
	groups: Iterable<Pick<RecipientGroup<Omit<BulkInput, 'to'>>, 'text' | 'recipients'>>,
	size?: number,
	first = 0,
): Batch[] {
	const batches: Batch[] = [];
	for (const { text, recipients } of groups) {
		// Not push(...), because a call with too many arguments overflows the stack.
		for (const batch of planBatches(recipients, text, size, first + batches.length)) batches.push(batch);
	}
	return batches;
}
