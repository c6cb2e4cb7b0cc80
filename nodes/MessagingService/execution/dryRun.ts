import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import {
	contract,
	DRY_RUN,
	InputError,
	KEY_KNOWN_TO_RELAY,
	KEY_NOT_KNOWN,
	predictBalance,
	predictCost,
	predictSend,
	readSenderNames,
	senderWarning,
	ServiceError,
	textWarnings,
	type Client,
	type Labels,
	type PredictedBalance,
	type PredictedSend,
	type SentText,
} from '../../../shared';
import { letOthersRun } from '../host/letOthersRun';
import { addHint } from '../host/olderN8n';
import { isOptionSet, switchOption } from '../host/parameters';
import { priceOfUnit } from './guards';
import { mayHoldKeys } from './idempotency/sendOnceKeys';
import type { DryRun, Run } from './operation';
import { SkippedRow, toItems, type Result } from './outputItems';
import { sentTexts, textOf } from './textHints';

/**
 * Reads the Dry Run option. It holds for the whole run, because half a dry run would still send.
 * @param labels of the operation's fields
 * @returns an error if it cannot be read, or differs between items
 */
export function readDryRun(context: IExecuteFunctions, labels: Labels): boolean | InputError {
	// n8n keeps the options of another operation that was chosen before.
	if (!('dryRun' in labels) || !isOptionSet(context, 'dryRun')) return false;
	const values = new Set<boolean>();
	for (const index of context.getInputData().keys()) {
		const value = switchOption(context, 'dryRun', index);
		if (value instanceof InputError) return value;
		values.add(value);
	}
	if (values.size < 2) return values.has(true);
	const message = 'is on for some items and off for others: use one value for all items, or remove the option';
	return new InputError('node', [{ field: 'dryRun', message }]);
}

/** Time limit for reading the sender IDs, in milliseconds. */
const SENDERS_LIMIT_MS = 10_000;

/**
 * Starts a dry run. It reads the balance at most once, because a guard may need it, too.
 * @param perSecond maximum number of calls per second. The list of sender IDs does not wait for more than a second
 */
export function startDryRun(client: Client | ServiceError, perSecond = Infinity): DryRun {
	const read = async (): ReturnType<DryRun['balance']> =>
		client instanceof ServiceError
			? { outcome: 'rejected', error: client }
			: await client.call(contract.wallet.getBalance, {});
	let reading: ReturnType<DryRun['balance']> | undefined;
	const readSenders = async () =>
		client instanceof ServiceError || perSecond < 1 ? undefined : await readSenderNames(client, SENDERS_LIMIT_MS);
	let listing: ReturnType<DryRun['senders']> | undefined;
	return {
		counted: undefined,
		balance: async () => await (reading ??= read()),
		senders: async () => await (listing ??= readSenders()),
	};
}

/** Makes the rows of a dry run of items, each with the balance after its message, and shows a hint with the totals. */
export async function predictedItems(
	run: Run,
	dryRun: DryRun,
	results: readonly Result[],
): Promise<INodeExecutionData[]> {
	const price = priceOfUnit(run);
	const totals = new PredictedRun(price);
	const hasKey = results.some(({ input: { item } }) => 'sendOnceKey' in item && item.sendOnceKey !== undefined);
	const keyNote = hasKey ? await noteOnKeys(run) : undefined;
	const sends = results.some(({ outcome }) => outcome === 'accepted');
	const read = sends ? await dryRun.balance() : undefined;
	const hasSender = results.some(({ input: { item } }) => 'input' in item && item.input.sender_id !== undefined);
	const senders = sends && hasSender ? await dryRun.senders() : undefined;
	const senderNotes = new Set<string>();
	const rowsOf = (result: Result): INodeExecutionData[] => {
		const { item, index } = result.input;
		const pairedItem = { item: index };
		const call = !(item instanceof ServiceError) && item.kind === 'call' ? item : undefined;
		if (result.outcome === 'accepted' && result.output instanceof SkippedRow) {
			const { row } = result.output;
			totals.add(`would_skip (${String(row.reason)})`);
			const sent = call ? predictSend(call.endpoint, call.input, price) : {};
			return [{ json: wouldSkip(row, sent), pairedItem }];
		}
		if (result.outcome !== 'accepted' || !call || !read) {
			totals.add(result.outcome);
			return toItems(run, result);
		}
		const { endpoint, input, sendOnceKey, about } = call;
		const sent = predictSend(endpoint, input, price);
		totals.addSend(sent, about?.schedule_reason !== undefined);
		const { warning, ...balances } = predictBalance(read, totals.cost);
		const senderNote = senderWarning(sent.sender_id, senders);
		if (senderNote !== undefined) senderNotes.add(senderNote);
		const notes = [
			sendOnceKey === undefined ? undefined : keyNote,
			senderNote,
			...textWarnings([{ text: textOf(call) ?? '' }]),
			warning,
		];
		return [{ json: { ...wouldSend(sent, notes), ...about, ...balances }, pairedItem }];
	};
	const rows: INodeExecutionData[] = [];
	for (const [index, result] of results.entries()) {
		await letOthersRun(index);
		rows.push(...rowsOf(result));
	}
	showHint(run, totals, read ? predictBalance(read, totals.cost) : {}, {
		requests: totals.wouldSend,
		senderNotes,
		texts: sentTexts(results),
	});
	return rows;
}

/**
 * Makes the row of a message that a real run would send.
 * @param notes sentences about it
 */
export function wouldSend(sent: PredictedSend, notes: ReadonlyArray<string | undefined>): IDataObject {
	const note = [DRY_RUN, ...notes].filter(Boolean).join(' ');
	return { dry_run: true, outcome: 'would_send', ...sent, note };
}

/**
 * Makes the row of a message that a real run would skip. Its `note` gives the reason in words.
 * @param row of a real run
 */
export function wouldSkip(
	{ message: note, ...row }: IDataObject,
	{ to, subject, message }: PredictedSend,
): IDataObject {
	const sent = {
		...(to !== undefined && { to }),
		...row,
		...(subject !== undefined && { subject }),
		...(message !== undefined && { message }),
	};
	return { dry_run: true, ...sent, outcome: 'would_skip', note };
}

/**
 * The sentence about messages with a Send Once Key. n8n's store shows whether a key is new only by recording it, and only
 * the relay knows its own keys. A node without any key has certainly not used one.
 */
export async function noteOnKeys(run: Run): Promise<string | undefined> {
	if (run.relay) return KEY_KNOWN_TO_RELAY;
	return (await mayHoldKeys(run)) ? KEY_NOT_KNOWN : undefined;
}

/** The totals of a dry run. */
export class PredictedRun {
	#wouldSend = 0;
	#segments = 0;
	#units = 0;
	#moved = 0;
	readonly #others = new Map<string, number>();

	/** @param price of one unit, in currency units; undefined if it is not known */
	constructor(private readonly price: number | undefined) {}

	/** Number of messages that would be sent. */
	get wouldSend(): number {
		return this.#wouldSend;
	}

	/** Estimated cost of the messages that would be sent, in currency units; undefined without a price. */
	get cost(): number | undefined {
		return predictCost(this.#units, this.price);
	}

	/** Billed segments of the messages that would be sent. */
	get segments(): number {
		return this.#segments;
	}

	/** Number of messages that would wait for the Sending Hours. */
	get moved(): number {
		return this.#moved;
	}

	/** Number of rows by their outcome, without those that would be sent. */
	get others(): ReadonlyMap<string, number> {
		return this.#others;
	}

	/** @param moved whether the Sending Hours move it to a later time */
	addSend({ segment_count }: PredictedSend, moved: boolean): void {
		this.#wouldSend++;
		if (moved) this.#moved++;
		this.#segments += segment_count ?? 0;
		this.#units += segment_count ?? 1;
	}

	/** @param outcome as the hint names it, e.g. `rejected` */
	add(outcome: string): void {
		this.#others.set(outcome, (this.#others.get(outcome) ?? 0) + 1);
	}
}

/** What the hint of a dry run says beside its totals. */
interface DryRunFacts {
	/** Number of requests that a real run would make. */
	readonly requests: number;
	/** Warnings about sender IDs. */
	readonly senderNotes: Iterable<string>;
	readonly texts: readonly SentText[];
}

/** Shows that the run was a dry run, with its totals, above the output. Otherwise the option could stay on unnoticed. */
export function showHint(
	run: Run,
	totals: PredictedRun,
	balances: PredictedBalance,
	{ requests, senderNotes, texts }: DryRunFacts,
): void {
	const { context, labels } = run;
	const { wouldSend: sends, moved, segments, cost, others } = totals;
	const { balance_now, balance, currency = '', warning } = balances;
	const all = [...others.values()].reduce((sum, count) => sum + count, sends);
	const priceLabel = Object.entries(labels).find(([name]) => name.startsWith('pricePer'))?.[1];
	const amount = (value: number) => `${currency} ${value}`.trim();
	const size = segments > 0 ? ` (${segments} ${segments === 1 ? 'segment' : 'segments'})` : '';
	const left = [...others].map(([name, count]) => `${count} ${name}`);
	const now = balance_now === undefined ? [] : [`${amount(balance_now)} now`];
	const afterwards = balance === undefined ? [] : [`${amount(balance)} afterwards`];
	const sentences = [
		DRY_RUN,
		`${sends} of ${all} would be sent${size}.`,
		...(moved > 0 ? [`${moved} of them would wait until the Sending Hours begin.`] : []),
		...(left.length > 0 ? [`The others: ${left.join(', ')}.`] : []),
		...(cost === undefined ? [] : [`Estimated cost: ${amount(cost)}${currency === '' ? ' in wallet currency' : ''}.`]),
		...(now.length > 0 ? [`Balance: ${[...now, ...afterwards].join(', ')}.`] : []),
		...(warning === undefined ? [] : [warning]),
		...senderNotes,
		...textWarnings(texts),
		...timeNotes(run, requests),
		...(cost === undefined && priceLabel !== undefined ? [`Enter ${priceLabel} to see the cost.`] : []),
		'Turn Dry Run off to send.',
	];
	addHint(context, 'warning', sentences.join(' '));
}

/** Number of requests from which their time matters. */
const MANY_REQUESTS = 100;

/** The usual time of a response, in seconds. */
const RESPONSE_SECONDS = 1;

/** Says how long many requests take. */
export function timeNotes({ parallel, perSecond = Infinity }: Run, requests: number): string[] {
	if (requests < MANY_REQUESTS) return [];
	const seconds = Math.max((requests * RESPONSE_SECONDS) / parallel, requests / perSecond);
	const time = seconds < 120 ? `${Math.ceil(seconds)} seconds` : `${Math.ceil(seconds / 60)} minutes`;
	return [`The ${requests} requests take about ${time} if the service responds within ${RESPONSE_SECONDS} second.`];
}
