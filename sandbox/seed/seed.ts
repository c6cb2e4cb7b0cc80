import { z } from 'zod/v4';
import { contract } from '../../shared/contract';
import { readNumber } from '../control/numbers';
import { faultSchema } from '../simulation/faults';
import { toUnits } from '../store/money';
import { type Account, defaultAccount } from '../store/seed';
import { newSenderIdName, senderIdStatus } from '../store/senderIds';
import { settingsSchema } from '../store/settings';

/** Names and numbers of digits need no quotes in YAML. */
const asText = (value: unknown) => (typeof value === 'number' ? String(value) : value);

/** A phone number as people write it becomes E.164, as in the forms of the dashboard. */
const asNumber = (value: unknown) => {
	const text = asText(value);
	return typeof text === 'string' ? (readNumber(text) ?? text) : text;
};

const senderId = z.strictObject({
	name: z.preprocess(asText, newSenderIdName),
	status: senderIdStatus.default('approved'),
});

const { phone } = contract.contact.create.input.shape;
const contact = contract.contact.create.input.extend({ phone: z.preprocess(asNumber, phone) });

/**
 * A list without repeated entries.
 * @param field the field that identifies an entry, for the error; undefined if it is the entry itself
 */
function listOf<Entry extends z.ZodType>(
	entry: Entry,
	what: string,
	identify: (entry: z.output<Entry>) => unknown,
	field?: string,
) {
	return z.array(entry, `is not a list of ${what}`).check(({ value: entries, issues }) => {
		const known = new Set<unknown>();
		for (const [index, one] of entries.entries()) {
			const identity = identify(one);
			if (known.has(identity)) {
				const path = field === undefined ? [index] : [index, field];
				issues.push({ code: 'custom', input: one, path, message: 'is in the list twice' });
			}
			known.add(identity);
		}
	});
}

const balance = z
	.number('is not a number')
	.min(0, 'is below 0')
	.max(1_000_000, 'is above 1000000')
	.multipleOf(0.0001, 'has more than 4 decimals');

/**
 * The account and the faults that a new sandbox starts with. A part that is left out is as in a sandbox without a seed.
 */
export const seedSchema = z.strictObject(
	{
		wallet: z
			.strictObject({
				/** In currency units. */
				balance: balance.optional(),
				currency: z
					.string()
					.regex(/^[A-Z]{3}$/, 'is not a currency code such as GHS')
					.optional(),
			})
			.optional(),
		sender_ids: listOf(senderId, 'sender IDs', ({ name }) => name, 'name').optional(),
		contacts: listOf(contact, 'contacts', ({ phone: number }) => number, 'phone').optional(),
		opt_outs: listOf(z.preprocess(asNumber, phone), 'phone numbers', (number) => number).optional(),
		faults: z.array(faultSchema, 'is not a list of faults').optional(),
		settings: settingsSchema.partial().optional(),
	},
	'is no object with wallet, sender_ids, contacts, opt_outs, faults or settings',
);

/** Replaces each sender ID that is only a name by an object, so that {@link seedSchema} can read it. */
export function spellOut(data: unknown): unknown {
	if (typeof data !== 'object' || data === null || !('sender_ids' in data)) return data;
	const { sender_ids } = data;
	if (!Array.isArray(sender_ids)) return data;
	const entries: readonly unknown[] = sender_ids;
	return { ...data, sender_ids: entries.map((entry) => (typeof entry === 'object' ? entry : { name: entry })) };
}

/** The content of a seed file. */
export type Seed = z.output<typeof seedSchema>;

/** Makes the account of a new sandbox from a seed. */
export function accountOf({ wallet = {}, sender_ids, contacts, opt_outs, settings }: Seed): Account {
	return {
		currency: wallet.currency ?? defaultAccount.currency,
		balance: wallet.balance === undefined ? defaultAccount.balance : toUnits(wallet.balance),
		senderIds: sender_ids ?? defaultAccount.senderIds,
		contacts:
			contacts?.map(({ name = null, phone: number, ...fields }) => ({ name, phone: number, fields })) ??
			defaultAccount.contacts,
		optOuts: opt_outs ?? defaultAccount.optOuts,
		settings: settings ?? defaultAccount.settings,
	};
}
