import type { INodeExecutionData } from 'n8n-workflow';
import {
	InputError,
	ServiceError,
	unnamedRejections,
	type BatchResult,
	type RecipientResult,
} from '../../../../shared';
import { addHint } from '../../host/olderN8n';
import { isOptionSet } from '../../host/parameters';
import { OutsideHoursError } from '../../host/sendingHours';
import type { Run } from '../operation';
import { failureRow, notAttemptedRow } from '../outputItems';
import { errorToStopWith, maybeSent, runAgainNote, showNothingSent } from '../stop';
import { hintAtTexts } from '../textHints';
import { bulkAttempts } from './attempts';
import { predictedBulk } from './bulkPrediction';
import { readBulk, recipientsOfItem, recipientsOfTo, type BulkItems } from './bulkPlan';
import { hintOf, recipientItem, sentTextsOf, summaryItem } from './bulkRows';
import { BulkSending, fails } from './bulkSending';

/**
 * Sends messages in bulk: a row for each recipient on the first output, a summary on the second. All checks run before
 * the first request leaves. Requests of an earlier try of the run keep their outcomes, even if the fields, the guards,
 * the credential or the key store no longer fit.
 * @throws NodeApiError, NodeOperationError for the first request that fails, if the run has to stop; its description
 * lists the messages that were sent, including those of earlier tries
 */
export async function bulkRun(run: Run): Promise<INodeExecutionData[][]> {
	const { stops, client } = run;
	const { before, keep } = bulkAttempts(run);
	if (!before && client instanceof ServiceError) return await blockAll(run, client);
	const bulk = before?.bulk ?? (await readBulk(run));
	if (bulk instanceof InputError) return await blockAll(run, bulk);
	const unfit = bulk.items.findIndex((item) => item instanceof InputError);
	const wrong = bulk.items[unfit];
	if (stops && wrong instanceof InputError) throw errorToStopWith(run, wrong, unfit, '');

	const sending = new BulkSending(run, bulk, before);
	const rejection = await sending.send();
	const { results, recipients: sent } = sending;
	if (rejection) throw errorToStopWith(run, rejection.error, rejection.index, sentIn(run, results));
	const others = [
		...bulk.items.flatMap((item, index) => recipientsOutsideHours(bulk, item, index)),
		...sending.ofUsedKeys(sent),
	];
	const unread = unsentItems(run, (index) => {
		const item = bulk.items[index];
		if (item instanceof OutsideHoursError) return { outcome: 'not_attempted', reason: item };
		return item instanceof InputError ? { outcome: 'rejected', error: item } : undefined;
	});
	const recipients = [...sent, ...others, ...unread.recipients];
	// n8n also tries again if the run continues and the first row is a failure, whatever its item is.
	const ended =
		unread.unreadable.length === 0 &&
		recipients.every(({ outcome }) => outcome === 'accepted' || outcome === 'skipped');
	keep(ended ? undefined : sending.attempt);
	const failed =
		results.find((result) => fails(result, bulk.options)) ??
		// A run that sent nothing must fail. It must not look like a run that only left out some numbers.
		(sent.every(isNotSent) ? results.find(({ outcome }) => outcome === 'rejected') : undefined);
	if (stops && failed && 'error' in failed) {
		const { error, input } = failed;
		// A request may have recipients of several items. Then the error is about all of them.
		const [index, ...more] = new Set(input.recipients.map(({ source }) => source));
		throw errorToStopWith(run, error, more.length === 0 ? index : undefined, sentIn(run, results, failed));
	}
	// Some recipients were left out although nothing about them is wrong, for example because the gateway is down.
	const [reason] = results.flatMap((result) => (result.outcome === 'not_attempted' ? [result.reason] : []));
	if (stops && reason instanceof ServiceError) throw errorToStopWith(run, reason, undefined, sentIn(run, results));
	return await outputsOf(run, bulk.items, results, { ...unread, recipients });
}

/** The rows of a run. */
interface Rows {
	/** In any order. */
	readonly recipients: readonly RecipientResult[];
	/** Rows of items whose recipients cannot be read. */
	readonly unreadable: ReadonlyArray<{ readonly outcome: Unsent['outcome']; readonly row: INodeExecutionData }>;
}

/** Why nothing of an item is sent. */
type Unsent =
	| { readonly outcome: 'rejected'; readonly error: ServiceError }
	| { readonly outcome: 'not_attempted'; readonly reason: ServiceError };

/** Makes the outputs of a run: the rows in the order of the items, and the summary. An agent gets no summary. */
async function outputsOf(
	run: Run,
	items: BulkItems['items'],
	results: readonly BatchResult[],
	{ recipients, unreadable }: Rows,
): Promise<INodeExecutionData[][]> {
	const { context, byAgent } = run;
	const all = [...recipients].sort((a, b) => a.source - b.source || a.position - b.position);
	const others = unreadable.map(({ row }) => row);
	if (run.dryRun) {
		const outcomes = unreadable.map(({ outcome }) => outcome);
		const { rows, summary } = await predictedBulk(run, run.dryRun, items, results, all, outcomes);
		return byAgent ? [[...rows, ...others]] : [[...rows, ...others], [summary]];
	}
	const leftOut = results.reduce((sum, result) => sum + unnamedRejections(result), 0);
	const hint = hintOf(all, leftOut);
	if (hint !== undefined) addHint(context, 'warning', hint);
	hintAtTexts(run, sentTextsOf(all, items));
	const rows = [...all.map((one) => recipientItem(run, one, items[one.source])), ...others];
	return byAgent ? [rows] : [rows, [summaryItem(results, all)]];
}

/** Whether certainly nothing was sent to a recipient, by this run or by an agent's earlier call. */
function isNotSent(one: RecipientResult): boolean {
	return one.outcome === 'rejected' || (one.outcome === 'skipped' && one.reason !== 'already_sent');
}

/** The recipients of an item that is skipped outside the Sending Hours. */
function recipientsOutsideHours(bulk: BulkItems, item: BulkItems['items'][number], index: number): RecipientResult[] {
	if (item instanceof InputError || !item.outsideHours) return [];
	const { reason, message } = item.outsideHours;
	const { recipients, skipped } = recipientsOfItem(bulk, item);
	return [...recipients, ...skipped].map((one) => ({ ...one, source: index, outcome: 'skipped', reason, message }));
}

function sentIn({ context, dryRun }: Run, results: readonly BatchResult[], failed?: BatchResult): string {
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

/** The outputs of a run that cannot begin. Each recipient has a row, because workflows find rows by their numbers. */
async function blockAll(run: Run, error: ServiceError): Promise<INodeExecutionData[][]> {
	if (run.stops) throw errorToStopWith(run, error, undefined, '');
	showNothingSent(run, error, false);
	return await outputsOf(
		run,
		[],
		[],
		unsentItems(run, () => ({ outcome: 'not_attempted', reason: error })),
	);
}

/**
 * Makes the rows of items of which nothing may be sent.
 * @param whyNot returns the reason; undefined for any other item
 */
function unsentItems(run: Run, whyNot: (index: number) => Unsent | undefined): Rows {
	const recipients: RecipientResult[] = [];
	const unreadable: Array<Rows['unreadable'][number]> = [];
	for (const index of run.context.getInputData().keys()) {
		const unsent = whyNot(index);
		if (unsent === undefined) continue;
		const named = recipientsOfTo(run, index);
		for (const one of named) recipients.push({ ...one, ...unsent });
		if (named.length > 0) continue;
		const json = unsent.outcome === 'rejected' ? failureRow(run, unsent) : notAttemptedRow(run, unsent.reason);
		unreadable.push({ outcome: unsent.outcome, row: { json, pairedItem: { item: index } } });
	}
	return { recipients, unreadable };
}
