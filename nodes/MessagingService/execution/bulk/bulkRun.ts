import type { INodeExecutionData } from 'n8n-workflow';
import {
	InputError,
	ServiceError,
	unnamedRejections,
	type BatchResult,
	type OutsideHoursFields,
	type RecipientResult,
} from '../../../../shared';
import { isOptionSet } from '../../host/parameters';
import type { UsedKeyRow } from '../idempotency/sendOnceKeys';
import type { Run } from '../operation';
import { failureRow } from '../outputItems';
import { sendUnits } from '../sendUnits';
import { errorToStopWith, maybeSent, runAgainNote } from '../stop';
import { bulkAttempts } from './attempts';
import { predictedBulk } from './bulkPrediction';
import { readBulk, recipientsOfItem, type BulkItems } from './bulkPlan';
import { hintOf, recipientItem, summaryItem } from './bulkRows';
import { BulkSending, fails } from './bulkSending';

/**
 * Sends messages in bulk: a row for each recipient on the first output, a summary on the second. All checks run before
 * the first request leaves. Requests of an earlier try of the run keep their outcomes, even if the fields, the guards,
 * the credential or the key store no longer fit.
 * @throws NodeApiError, NodeOperationError for the first request that fails, if the run has to stop; its description
 * lists the messages that were sent, including those of earlier tries
 */
export async function bulkRun(run: Run): Promise<INodeExecutionData[][]> {
	const { context, stops, client, byAgent } = run;
	const { before, keep } = bulkAttempts(run);
	if (!before && client instanceof ServiceError) return rejectAll(run, client);
	const bulk = before?.bulk ?? readBulk(run);
	if (bulk instanceof InputError) return rejectAll(run, bulk);
	const unfit = bulk.items.findIndex((item) => item instanceof InputError);
	const wrong = bulk.items[unfit];
	if (stops && wrong instanceof InputError) throw errorToStopWith(run, wrong, unfit, '');

	const sending = new BulkSending(run, bulk, before);
	const rejection = await sendUnits(run, sending);
	if (rejection) return rejectAll(run, rejection);

	const { results, recipients: sent, over } = sending;
	// n8n also tries again if the run continues and the first row is a failure.
	const ended = over === undefined && sent.every(({ outcome }) => outcome === 'accepted' || outcome === 'skipped');
	keep(ended ? undefined : sending.attempt);
	const failed =
		results.find((result) => fails(result, bulk.options)) ??
		// A run that sent nothing must fail. It must not look like a run that only left out some numbers.
		(sent.every(isNotSent) ? results.find(({ outcome }) => outcome === 'rejected') : undefined);
	if (stops && failed && 'error' in failed) {
		const { error, input } = failed;
		// A request may have recipients of several items. Then the error is about all of them.
		const [index, ...more] = error === sending.blocked ? [] : new Set(input.recipients.map(({ source }) => source));
		throw errorToStopWith(run, error, more.length === 0 ? index : undefined, sentIn(run, results, failed));
	}
	const { used, left } = sending.keys;
	const others = bulk.items.flatMap((item, index) => [
		...skippedRecipients(bulk, item, index, outsideHours(item) ?? used.get(index)),
		...(over !== undefined && left.has(index) ? leftRecipients(bulk, item, index, over) : []),
	]);
	const all = [...sent, ...others].sort((a, b) => a.source - b.source || a.position - b.position);
	const unreadable = bulk.items.flatMap((item, index) =>
		item instanceof InputError ? [rejectedItem(run, item, index)] : [],
	);
	if (run.dryRun) {
		const { rows, summary } = await predictedBulk(run, run.dryRun, bulk, results, all, unreadable.length);
		return byAgent ? [[...rows, ...unreadable]] : [[...rows, ...unreadable], [summary]];
	}
	const leftOut = results.reduce((sum, result) => sum + unnamedRejections(result), 0);
	const hint = hintOf(all, leftOut);
	if (hint !== undefined) context.addExecutionHints({ message: hint, type: 'warning', location: 'outputPane' });
	const rows = [...all.map((one) => recipientItem(run, one, bulk.items[one.source])), ...unreadable];
	return byAgent ? [rows] : [rows, [summaryItem(results, all)]];
}

/** Whether certainly nothing was sent to a recipient, by this run or by an agent's earlier call. */
function isNotSent(one: RecipientResult): boolean {
	return one.outcome === 'rejected' || (one.outcome === 'skipped' && one.reason !== 'already_sent');
}

function outsideHours(item: BulkItems['items'][number]): OutsideHoursFields | undefined {
	return item instanceof InputError ? undefined : item.outsideHours;
}

/** The recipients of an item that is skipped as a whole: outside the Sending Hours, or because its key was used before. */
function skippedRecipients(
	bulk: BulkItems,
	item: BulkItems['items'][number],
	index: number,
	row: UsedKeyRow | OutsideHoursFields | undefined,
): RecipientResult[] {
	if (item instanceof InputError || row === undefined) return [];
	const { reason, message } = row;
	return recipientsOfItem(bulk, item).map((one) => ({
		...one,
		source: index,
		outcome: 'skipped',
		reason,
		message,
	}));
}

/** The recipients of an item that was not attempted because the run had ended. */
function leftRecipients(
	bulk: BulkItems,
	item: BulkItems['items'][number],
	index: number,
	reason: 'canceled' | ServiceError,
): RecipientResult[] {
	if (item instanceof InputError) return [];
	return recipientsOfItem(bulk, item).map((one) => ({ ...one, source: index, outcome: 'not_attempted', reason }));
}

function sentIn({ context, dryRun }: Run, results: readonly BatchResult[], failed: BatchResult): string {
	if (dryRun) return '';
	const accepted = results.flatMap((result) => (result.outcome === 'accepted' ? [result] : []));
	const unknown = results.filter((result) => result.outcome === 'unknown' && result !== failed);
	const sentences: string[] = [];
	if (accepted.length > 0) {
		const recipients = recipientsIn(accepted) - leftUnknownIn(accepted);
		const ids = accepted.flatMap(({ output }) => output.batch_id ?? []).slice(0, 5);
		const named = ids.length > 0 ? ` (${ids.join(', ')}${ids.length < accepted.length ? ', …' : ''})` : '';
		const were = recipients === 1 ? '1 recipient was' : `${recipients} recipients were`;
		sentences.push(
			`${were} already accepted${named}. ${runAgainNote(recipients, isOptionSet(context, 'sendOnceKey'))}`,
		);
	}
	const recipients = recipientsIn(unknown) + leftUnknownIn(accepted);
	if (recipients > 0)
		sentences.push(maybeSent(`The message to ${recipients === 1 ? '1 recipient' : `${recipients} recipients`}`));
	return sentences.join(' ');
}

function recipientsIn(results: readonly BatchResult[]): number {
	return results.reduce((sum, { input }) => sum + input.recipients.length, 0);
}

/** Recipients whom a relay left out, because it doesn't know whether an earlier message to them was accepted. */
function leftUnknownIn(results: readonly BatchResult[]): number {
	const leftOut = results.flatMap((result) =>
		result.outcome === 'not_attempted' ? [] : (result.relay?.skipped ?? []),
	);
	return leftOut.filter(({ outcome }) => outcome === 'unknown').length;
}

function rejectAll(run: Run, error: ServiceError): INodeExecutionData[][] {
	const { context, stops } = run;
	if (stops) throw errorToStopWith(run, error, undefined, '');
	return [context.getInputData().map((_, index) => rejectedItem(run, error, index)), []];
}

function rejectedItem(run: Run, error: ServiceError, index: number): INodeExecutionData {
	return { json: failureRow(run, { outcome: 'rejected', error }), pairedItem: { item: index } };
}
