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
	type Batch,
	type BatchResult,
	type BulkSendOutput,
	type Labels,
	type MakeCall,
	type PredictedMessage,
	type RecipientResult,
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
	const messages = new Map<RecipientResult, PredictedMessage>();
	const rows: RecipientResult[] = [];
	let segments = 0;
	for (const result of done) {
		const predicted = predictMessage(result.input.input.message, price);
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
	return { output: { ...totals, rows_left_out: rows.length - results.length, results }, cost };
}

const OUTCOMES: Readonly<Partial<Record<RecipientResult['outcome'], string>>> = {
	accepted: 'would_send',
	skipped: 'would_skip',
};

function predictedRow(
	row: RecipientResult,
	predicted: PredictedMessage | undefined,
	{ ofLines, labels }: Pick<BulkToPredict, 'ofLines' | 'labels'>,
): object {
	return {
		to: row.to,
		outcome: OUTCOMES[row.outcome] ?? row.outcome,
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
