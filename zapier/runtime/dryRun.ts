import type { Bundle, PlainOutputField, ZObject } from 'zapier-platform-core';
import {
	contract,
	DRY_RUN,
	estimate,
	KEY_KNOWN_TO_RELAY,
	KEY_NOT_KNOWN,
	predictBalance,
	readSenderNames,
	senderWarning,
	type Outcome,
	type WalletBalance,
} from '../../shared';
import { DRY_RUN_KEY } from '../fields';
import { isBaseUrlRelay } from './baseUrlIsRelay';
import { invalid } from './inputs';
import type { Output } from './intent';
import { numberOption, yesOption } from './optionFields';
import { connect } from './perform';
import type { EarlierRun } from './sendWithCache';

type StepBundle = Pick<Bundle, 'authData' | 'inputData' | 'inputDataRaw'>;

/**
 * Timeout for reading the balance and the sender IDs, in milliseconds. Together with a look at Zapier's cache it ends before
 * the step.
 */
const READING_MS = 15_000;

/** Whether the step only predicts. @throws InputError if that is not clear in this run; nothing is sent */
export function isDryRun(bundle: StepBundle): boolean {
	return yesOption(bundle, DRY_RUN_KEY);
}

/**
 * Reads the price of a unit, such as a segment or a call, in wallet currency.
 * @param key of the field
 * @returns undefined if it is empty or 0
 * @throws InputError if it is no amount
 */
export function dryRunPrice(bundle: StepBundle, { key }: { readonly key: string }): number | undefined {
	const price = numberOption(bundle, key);
	if (!price) return undefined;
	const read = estimate({ text: '', recipients: 1, price: { perSegment: price } });
	if (!read.ok) throw invalid(key, read.message);
	return price;
}

/** What a dry run knows about the account. */
export interface AccountFacts {
	readonly balance: Outcome<WalletBalance>;
	/** The reason to doubt the sender ID; undefined if there is none, or if the list cannot be read. */
	readonly senderNote: string | undefined;
}

/**
 * Reads the balance, and looks up the sender ID, which is free.
 * @param sender undefined if the message has none
 */
export async function readAccount(z: ZObject, bundle: Bundle, sender: string | undefined): Promise<AccountFacts> {
	const client = connect(z, bundle, READING_MS);
	const [balance, names] = await Promise.all([
		client.call(contract.wallet.getBalance, {}),
		sender === undefined ? undefined : readSenderNames(client, READING_MS),
	]);
	return { balance, senderNote: senderWarning(sender, names) };
}

/**
 * The output of a dry run about the wallet, with the sentences about the run.
 * @param cost estimated cost, in currency units; undefined if it is not known
 * @param warnings about the texts, and about the time
 */
export function predictedEnd(
	bundle: Pick<Bundle, 'authData'>,
	account: AccountFacts,
	cost: number | undefined,
	earlier: EarlierRun,
	warnings: readonly string[],
): Output {
	const { warning, balance = null, balance_now = null, currency = null } = predictBalance(account.balance, cost);
	const unknown = isBaseUrlRelay(bundle.authData) ? KEY_KNOWN_TO_RELAY : KEY_NOT_KNOWN;
	const notes = [DRY_RUN, earlier.kind === 'not known' ? unknown : undefined, account.senderNote, ...warnings, warning];
	const note = notes.filter(Boolean).join(' ');
	return { balance, balance_now, currency, note };
}

/** The output of a dry run of a message that an earlier run sent, without its charges. Nothing is left to send again. */
export function predictedSkip(first: Output): Output {
	return {
		...first,
		dry_run: true,
		outcome: 'would_skip',
		cost: null,
		balance: null,
		numbers_to_send_again: [],
		lines_to_send_again: [],
		already_sent: true,
		note: `${DRY_RUN} An earlier run with this Send Once Key sent it, so a real run would not send it again.`,
	};
}

/** Output fields of every step with a dry run. */
export const dryRunOutput = [
	{ key: 'dry_run', label: 'Dry Run', type: 'boolean' },
	{ key: 'balance_now', label: 'Balance Now', type: 'number' },
	{ key: 'currency', label: 'Currency', type: 'string' },
	{ key: 'note', label: 'Note', type: 'string' },
] satisfies PlainOutputField[];

/** Output fields of a dry run about the text of an SMS. */
export const spellingOutput = [
	{ key: 'encoding', label: 'Encoding', type: 'string' },
	{ key: 'cheaper_message', label: 'Cheaper Spelling', type: 'string' },
	{ key: 'segments_saved', label: 'Segments Saved', type: 'integer' },
] satisfies PlainOutputField[];
