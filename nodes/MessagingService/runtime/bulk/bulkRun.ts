import type { INodeExecutionData } from 'n8n-workflow';
import {
	InputError,
	unnamedRejections,
	recipientResults,
	ServiceError,
	skippedResults,
	type BatchResult,
	type RecipientResult,
} from '../../../../shared';
import { reserve } from '../reservation';
import { calledByAgent } from '../calledByAgent';
import { runAgainNote, failureRow } from '../outputItems';
import type { Run } from '../operation';
import { isOptionSet } from '../parameters';
import { maybeSent } from '../sentSummary';
import type { UsedKeyRow } from '../sendOnce';
import { errorToStopWith } from '../stop';
import { BulkKeys } from './bulkKeys';
import { nameOfText, readBulk, recipientsOfItem, type BulkItems } from './bulkPlan';
import { hintOf, outcomesByItem, recipientItem, summaryItem } from './bulkRows';
import { bulkAttempts } from './attempts';
import { BulkWaves, fails } from './bulkWaves';

/**
 * Sends messages in bulk: a row for each recipient on the first output, a summary on the second. All checks run before
 * the first request leaves. Requests of an earlier try of the run keep their outcomes, even if the fields, the guards,
 * the credential or the key store no longer fit.
 * @throws NodeApiError, NodeOperationError for the first request that fails, if the run has to stop; its description
 * lists the messages that were sent, including those of earlier tries
 */
export async function bulkRun(run: Run): Promise<INodeExecutionData[][]> {
	const { context, stops, client } = run;
	const { before, keep } = bulkAttempts(run);
	if (!before && client instanceof ServiceError) return rejectAll(run, client);
	const bulk = before?.bulk ?? readBulk(run);
	if (bulk instanceof InputError) return rejectAll(run, bulk);
	const unfit = bulk.items.findIndex((item) => item instanceof InputError);
	const wrong = bulk.items[unfit];
	if (stops && wrong instanceof InputError) throw errorToStopWith(run, wrong, unfit, '');

	const keys = new BulkKeys(run, bulk, before);
	const waves = new BulkWaves(run, bulk, before);
	let wave = keys.next();
	let planned = false;
	const reservation =
		client instanceof ServiceError
			? client
			: await reserve(run, keys.candidates, (maySend) => {
					wave = keys.next(maySend);
					planned = true;
					return waves.plan(wave);
				});
	// An agent's call may contain recipients to whom an earlier call sent the message.
	if (reservation instanceof ServiceError && !before && !calledByAgent(context)) return rejectAll(run, reservation);
	if (!planned) waves.plan(wave);
	if (!(reservation instanceof ServiceError)) keys.addUsed(reservation);

	const textNames = bulk.items.map((item) => (item instanceof InputError ? '' : nameOfText(item.text)));
	const sentSoFar = () => [
		...waves.results.flatMap(recipientResults),
		...skippedResults(waves.skipped),
		...waves.repeated,
	];
	const outcomesSoFar = () => outcomesByItem(sentSoFar(), (index) => textNames[index] ?? '');
	let blocked = reservation instanceof ServiceError ? reservation : undefined;
	let over: 'canceled' | ServiceError | undefined;
	for (;;) {
		await waves.send(blocked);
		keys.markSent(wave, outcomesSoFar());
		wave = keys.next();
		if (wave.size > 0) over = waves.over();
		if (wave.size === 0 || over !== undefined) break;
		const unsent = waves.unsent();
		const intended = waves.plan(wave);
		if (!(reservation instanceof ServiceError)) blocked = await reservation.reserveMore(unsent, intended);
	}
	if (!(reservation instanceof ServiceError)) {
		const outcomes = outcomesSoFar();
		await reservation.settle(
			bulk.items.map((_, index) => outcomes.get(index)),
			waves.unsent(),
		);
	}

	const sent = sentSoFar();
	// n8n also tries again if the run continues and the first row is a failure.
	const ended = over === undefined && sent.every(({ outcome }) => outcome === 'accepted' || outcome === 'skipped');
	const { held, used, left } = keys;
	keep(ended ? undefined : { bulk, ...waves.carriedOut, held, used });
	const failed =
		waves.results.find((result) => fails(result, bulk.options)) ??
		// A run that sent nothing must fail. It must not look like a run that only left out some numbers.
		(sent.every(isNotSent) ? waves.results.find(({ outcome }) => outcome === 'rejected') : undefined);
	if (stops && failed && 'error' in failed) {
		const { error, input } = failed;
		const index = error === blocked ? undefined : input.recipients[0]?.source;
		throw errorToStopWith(run, error, index, sentIn(run, waves.results, failed));
	}
	const others = bulk.items.flatMap((item, index) => [
		...usedRecipients(bulk, item, index, used.get(index)),
		...(over !== undefined && left.has(index) ? leftRecipients(bulk, item, index, over) : []),
	]);
	const all = [...sent, ...others].sort((a, b) => a.source - b.source || a.position - b.position);
	const leftOut = waves.results.reduce((sum, result) => sum + unnamedRejections(result), 0);
	const hint = hintOf(all, leftOut);
	if (hint !== undefined) context.addExecutionHints({ message: hint, type: 'warning', location: 'outputPane' });
	const unreadable = bulk.items.flatMap((item, index) =>
		item instanceof InputError ? [rejectedItem(run, item, index)] : [],
	);
	const rows = [...all.map((one) => recipientItem(run, one)), ...unreadable];
	return calledByAgent(context) ? [rows] : [rows, [summaryItem(waves.results, all)]];
}

/** Whether certainly nothing was sent to a recipient, by this run or by an agent's earlier call. */
function isNotSent(one: RecipientResult): boolean {
	return one.outcome === 'rejected' || (one.outcome === 'skipped' && one.reason !== 'already_sent');
}

/** The recipients of an item whose Send Once Key was used before. */
function usedRecipients(
	bulk: BulkItems,
	item: BulkItems['items'][number],
	index: number,
	row: UsedKeyRow | undefined,
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

function sentIn({ context }: Run, results: readonly BatchResult[], failed: BatchResult): string {
	const accepted = results.flatMap((result) => (result.outcome === 'accepted' ? [result] : []));
	const unknown = results.filter((result) => result.outcome === 'unknown' && result !== failed);
	const sentences: string[] = [];
	if (accepted.length > 0) {
		const recipients = recipientsIn(accepted);
		const ids = accepted.flatMap(({ output }) => output.batch_id ?? []).slice(0, 5);
		const named = ids.length > 0 ? ` (${ids.join(', ')}${ids.length < accepted.length ? ', …' : ''})` : '';
		const were = recipients === 1 ? '1 recipient was' : `${recipients} recipients were`;
		sentences.push(
			`${were} already accepted${named}. ${runAgainNote(recipients, isOptionSet(context, 'sendOnceKey'))}`,
		);
	}
	const recipients = recipientsIn(unknown);
	if (recipients > 0)
		sentences.push(maybeSent(`The message to ${recipients === 1 ? '1 recipient' : `${recipients} recipients`}`));
	return sentences.join(' ');
}

function recipientsIn(results: readonly BatchResult[]): number {
	return results.reduce((sum, { input }) => sum + input.recipients.length, 0);
}

function rejectAll(run: Run, error: ServiceError): INodeExecutionData[][] {
	const { context, stops } = run;
	if (stops) throw errorToStopWith(run, error, undefined, '');
	return [context.getInputData().map((_, index) => rejectedItem(run, error, index)), []];
}

function rejectedItem(run: Run, error: ServiceError, index: number): INodeExecutionData {
	return { json: failureRow(run, { outcome: 'rejected', error }), pairedItem: { item: index } };
}
