import {
	contract,
	planGroups,
	predictCall,
	predictCost,
	predictMessage,
	recipientResults,
	sendBatches,
	skippedResults,
	summarize,
	textWarnings,
	type Batch,
	type BatchResult,
	type BulkSendOutput,
	type Labels,
	type MakeCall,
	type PredictedMessage,
	type RecipientResult,
	type SentText,
} from '../../shared';
import { failureOf } from './bulkFailure';
import { inOrder, reasonOf, rowsThatFit, type BulkOutput } from './bulkOutput';
import type { MessageGroup } from './bulkRecipients';
import type { BulkSendOptions } from './sendBulk';

/** Input of {@link predictBulk}. */
export interface BulkToPredict extends Pick<BulkSendOptions, 'common' | 'numbersPerRequest' | 'skipRejectedNumbers'> {
	readonly groups: readonly MessageGroup[];
	/** Whether the recipients are line items, each with its own message. */
	readonly ofLines: boolean;
	/** Field labels of the step. */
	readonly labels: Labels;
	/** Price of a segment, in currency units; undefined if it is not known. */
	readonly price: number | undefined;
}

/** A predicted bulk send. */
export interface PredictedBulk {
	readonly output: BulkOutput;
	/** Estimated cost, in currency units; undefined without a price. */
	readonly cost: number | undefined;
	/** Sentences about the texts, and about the time that the requests need. */
	readonly warnings: readonly string[];
}

/** About the number of requests that one run has time for, at one second each. */
const MOST_REQUESTS = 100;

/** The texts of a bulk send, with their lines if they are line items. */
export function textsOf(groups: readonly MessageGroup[], ofLines: boolean): SentText[] {
	return groups.flatMap(({ message, recipients }) =>
		recipients.map(({ to, source }) => ({ text: message, to, ...(ofLines && { place: `line ${source + 1}` }) })),
	);
}

/**
 * Predicts a bulk send: plans the same requests as a real run, checks them, and makes none. Nothing is left to send again,
 * because a second step would really send it.
 * @throws ServiceError as a real run, if none of its messages can be sent
 */
export async function predictBulk({
	groups,
	common,
	numbersPerRequest,
	skipRejectedNumbers,
	ofLines,
	labels,
	price,
}: BulkToPredict): Promise<PredictedBulk> {
	const texts = groups.map(({ message, recipients }) => ({ text: { ...common, message }, recipients }));
	const check: MakeCall<Batch, BulkSendOutput> = async ({ input }) =>
		await Promise.resolve(predictCall(contract.sms.sendBulk, input));
	const done: BatchResult[] = [];
	for await (const result of sendBatches(check, planGroups(texts, numbersPerRequest), { skipRejectedNumbers })) {
		done.push(result);
	}
	const messages = new Map<RecipientResult, PredictedMessage & { readonly message: string }>();
	const rows: RecipientResult[] = [];
	let segments = 0;
	for (const result of done) {
		const { message } = result.input.input;
		const predicted = { ...predictMessage(message, price), message };
		for (const row of recipientResults(result)) {
			rows.push(row);
			if (row.outcome !== 'accepted') continue;
			messages.set(row, predicted);
			segments += predicted.segment_count;
		}
	}
	for (const { skipped } of groups) for (const row of skippedResults(skipped)) rows.push(row);
	const failed = failureOf(rows);
	if (failed) throw failed;
	rows.sort(inOrder);
	const { total, accepted, skipped, rejected, requests } = summarize(done, rows);
	const cost = predictCost(segments, price);
	const totals = {
		dry_run: true,
		outcome: accepted > 0 ? 'would_send' : 'nothing_to_send',
		total,
		would_send: accepted,
		would_skip: skipped,
		accepted: 0,
		rejected,
		unknown: 0,
		not_attempted: 0,
		skipped: 0,
		requests,
		total_segments: segments,
		cost: cost ?? null,
		unknown_numbers: [],
		numbers_to_send_again: [],
		lines_to_send_again: [],
	};
	const toRow = (row: RecipientResult) => predictedRow(row, messages.get(row), { ofLines, labels });
	const results = rowsThatFit(rows, toRow, totals);
	const output = { ...totals, rows_left_out: rows.length - results.length, results };
	return { output, cost, warnings: [...textWarnings(textsOf(groups, ofLines)), ...timeNotes(requests, ofLines)] };
}

function timeNotes(requests: number, ofLines: boolean): string[] {
	if (requests < MOST_REQUESTS) return [];
	const again = ofLines ? 'Lines to Send Again' : 'Numbers to Send Again';
	return [`One run may not have time for all ${requests} requests. The rest come back as ${again}, for a second step.`];
}

const OUTCOMES: Readonly<Partial<Record<RecipientResult['outcome'], string>>> = {
	accepted: 'would_send',
	skipped: 'would_skip',
};

function predictedRow(
	row: RecipientResult,
	predicted: (PredictedMessage & { readonly message: string }) | undefined,
	{ ofLines, labels }: Pick<BulkToPredict, 'ofLines' | 'labels'>,
): object {
	return {
		to: row.to,
		outcome: OUTCOMES[row.outcome] ?? row.outcome,
		...(ofLines && { message: predicted?.message ?? null }),
		sender_id: row.outcome === 'accepted' ? row.sender_id : null,
		segment_count: predicted?.segment_count ?? null,
		encoding: predicted?.encoding ?? null,
		cost: predicted?.cost ?? null,
		cheaper_message: predicted?.cheaper_message ?? null,
		segments_saved: predicted?.segments_saved ?? null,
		reason: reasonOf(row, labels),
		line: (ofLines ? row.source : row.position) + 1,
	};
}
