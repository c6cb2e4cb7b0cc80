import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import {
	DRY_RUN,
	errorMessage,
	InputError,
	predictBalance,
	predictCost,
	predictMessage,
	senderWarning,
	summarize,
	textWarnings,
	type BatchResult,
	type PredictedMessage,
	type RecipientResult,
} from '../../../../shared';
import { letOthersRun } from '../../host/letOthersRun';
import { noteOnKeys, PredictedRun, showHint, timeNotes, wouldSend, wouldSkip } from '../dryRun';
import { priceOfUnit } from '../guards';
import type { DryRun, Run } from '../operation';
import type { BulkItems } from './bulkPlan';
import { recipientItem, sentTextsOf, timeOf } from './bulkRows';

/** The rows of a dry run, one for each recipient, and its summary. */
export interface PredictedBulk {
	readonly rows: readonly INodeExecutionData[];
	readonly summary: INodeExecutionData;
}

/**
 * Makes the rows and the summary of the dry run of a bulk send, and shows a hint with its totals.
 * @param items by index; none if the run cannot begin
 * @param results of the requests that a real run would make
 * @param recipients of all items whose numbers could be read
 * @param unreadable outcomes of other items
 */
export async function predictedBulk(
	run: Run,
	dryRun: DryRun,
	items: BulkItems['items'],
	results: readonly BatchResult[],
	recipients: readonly RecipientResult[],
	unreadable: ReadonlyArray<RecipientResult['outcome']>,
): Promise<PredictedBulk> {
	const price = priceOfUnit(run);
	const totals = new PredictedRun(price);
	const isKeyed = items.some((item) => !(item instanceof InputError) && item.sendOnceKey !== undefined);
	const keyNote = isKeyed ? await noteOnKeys(run) : undefined;
	const read = await dryRun.balance();
	const senders = results.some(({ outcome }) => outcome === 'accepted') ? await dryRun.senders() : undefined;
	const senderNotes = new Set<string>();
	const predictions = predictionsOf(price);
	const rowOf = (one: RecipientResult): INodeExecutionData => {
		const { to, source } = one;
		const pairedItem = { item: source };
		const request = items[source];
		const time = timeOf(one, request);
		if (one.outcome === 'accepted' && request && !(request instanceof InputError)) {
			const { text, sendOnceKey } = request;
			const { sender_id, message, schedule_at } = text;
			const { predicted, notes } = predictions(message);
			const sent = { to, sender_id, message, ...(schedule_at !== undefined && { schedule_at }), ...predicted };
			const senderNote = senderWarning(sender_id, senders);
			if (senderNote !== undefined) senderNotes.add(senderNote);
			const known = [sendOnceKey === undefined ? undefined : keyNote, senderNote, ...notes];
			totals.addSend(sent, time.schedule_reason !== undefined);
			return { json: { ...wouldSend(sent, known), ...time }, pairedItem };
		}
		if (one.outcome === 'skipped') {
			const { reason, message } = one;
			totals.add(`would_skip (${reason})`);
			const text = request && !(request instanceof InputError) ? { message: request.text.message } : {};
			return { json: { ...wouldSkip({ reason, message, ...time }, { to, ...text }) }, pairedItem };
		}
		totals.add(one.outcome);
		return recipientItem(run, one, request);
	};
	const rows: INodeExecutionData[] = [];
	for (const [index, one] of recipients.entries()) {
		await letOthersRun(index);
		rows.push(rowOf(one));
	}
	for (const outcome of unreadable) totals.add(outcome);
	const balances = predictBalance(read, totals.cost);
	const { warning, ...amounts } = balances;
	const { cost } = totals;
	const { total, rejected, unknown, not_attempted, skipped, skipped_by_reason, requests } = summarize(
		results,
		recipients,
	);
	const texts = sentTextsOf(recipients, items);
	showHint(run, totals, balances, { requests, senderNotes, texts });
	const notes = [DRY_RUN, ...senderNotes, ...textWarnings(texts), ...timeNotes(run, requests)];
	const summary = {
		dry_run: true,
		total,
		would_send: totals.wouldSend,
		would_skip: skipped,
		would_skip_by_reason: skipped_by_reason,
		rejected,
		unknown,
		not_attempted,
		requests,
		total_segments: totals.segments,
		...(cost !== undefined && { cost }),
		...amounts,
		...(warning !== undefined && { warning }),
		note: notes.join(' '),
		batches: results.map((result) => batchRow(result, price)),
	};
	return { rows, summary: { json: summary, pairedItem: { item: 0 } } };
}

/** Predicts each text once, because thousands of recipients usually get the same one. */
function predictionsOf(price: number | undefined) {
	const known = new Map<string, { readonly predicted: PredictedMessage; readonly notes: readonly string[] }>();
	return (message: string) => {
		const found = known.get(message) ?? {
			predicted: predictMessage(message, price),
			notes: textWarnings([{ text: message }]),
		};
		known.set(message, found);
		return found;
	};
}

function batchRow(result: BatchResult, price: number | undefined): IDataObject {
	const { input, recipients } = result.input;
	const about = { recipients: recipients.length, ...(input.schedule_at && { schedule_at: input.schedule_at }) };
	if (result.outcome === 'accepted') {
		const { segment_count } = predictMessage(input.message, undefined);
		const cost = predictCost(segment_count * recipients.length, price);
		return { outcome: 'would_send', ...(cost !== undefined && { cost }), ...about };
	}
	return { outcome: result.outcome, ...about, ...('error' in result && { error: errorMessage(result.error) }) };
}
