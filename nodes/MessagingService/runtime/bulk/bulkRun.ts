import type { INodeExecutionData } from 'n8n-workflow';
import {
	InputError,
	leftOutOf,
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

type Labels = Readonly<Record<string, string>>;

/**
 * Sends texts to many: a row for each recipient on the first output, a summary on the second. What may be sent is
 * decided before the first request leaves. What an earlier try of the run sent keeps its outcome, whatever the fields, the
 * guards, the credential or the key store say by now.
 * @param labels display names by wire name
 * @throws NodeApiError, NodeOperationError for the first request that fails, if the run is to stop; its description
 * names what was sent, in earlier tries too
 */
export async function bulkRun(run: Run, labels: Labels): Promise<INodeExecutionData[][]> {
	const { context, stops, client } = run;
	const { before, keep } = bulkAttempts(run);
	if (!before && client instanceof ServiceError) return rejectAll(run, labels, client);
	const ask = before?.ask ?? readBulk(run);
	if (ask instanceof InputError) return rejectAll(run, labels, ask);
	const unfit = ask.items.findIndex((item) => item instanceof InputError);
	const wrong = ask.items[unfit];
	if (stops && wrong instanceof InputError) throw errorToStopWith(context, wrong, unfit, labels, '');

	const keys = new BulkKeys(run, ask, before);
	const waves = new BulkWaves(run, ask, before);
	let wave = keys.next();
	let planned = false;
	const admission =
		client instanceof ServiceError
			? client
			: await reserve(run, keys.candidates, (leaves) => {
					wave = keys.next(leaves);
					planned = true;
					return waves.plan(wave);
				});
	// An agent's call may name recipients to whom an earlier call sent the message.
	if (admission instanceof ServiceError && !before && !calledByAgent(context)) return rejectAll(run, labels, admission);
	if (!planned) waves.plan(wave);
	if (!(admission instanceof ServiceError)) keys.admitted(admission);

	const textNames = ask.items.map((item) => (item instanceof InputError ? '' : nameOfText(item.text)));
	const sentSoFar = () => [
		...waves.results.flatMap(recipientResults),
		...skippedResults(waves.skipped),
		...waves.repeated,
	];
	const outcomesSoFar = () => outcomesByItem(sentSoFar(), (index) => textNames[index] ?? '');
	let blocked = admission instanceof ServiceError ? admission : undefined;
	let over: 'cancelled' | ServiceError | undefined;
	for (;;) {
		await waves.send(blocked);
		keys.wentOut(wave, outcomesSoFar());
		wave = keys.next();
		if (wave.size > 0) over = waves.over();
		if (wave.size === 0 || over !== undefined) break;
		const unsent = waves.unsent();
		const intended = waves.plan(wave);
		if (!(admission instanceof ServiceError)) blocked = await admission.further(unsent, intended);
	}
	if (!(admission instanceof ServiceError)) {
		const outcomes = outcomesSoFar();
		await admission.settle(
			ask.items.map((_, index) => outcomes.get(index)),
			waves.unsent(),
		);
	}

	const sent = sentSoFar();
	// n8n also tries again if the run goes on and the first row tells of a failure.
	const ended = over === undefined && sent.every(({ outcome }) => outcome === 'accepted' || outcome === 'skipped');
	const { held, used, left } = keys;
	keep(ended ? undefined : { ask, ...waves.carriedOut, held, used });
	const failed =
		waves.results.find((result) => fails(result, ask.options)) ??
		// A run that sent nothing must not look like one that left some numbers out.
		(sent.every(isNotSent) ? waves.results.find(({ outcome }) => outcome === 'rejected') : undefined);
	if (stops && failed && 'error' in failed) {
		const { error, input } = failed;
		const index = error === blocked ? undefined : input.recipients[0]?.source;
		throw errorToStopWith(context, error, index, labels, sentIn(run, waves.results, failed));
	}
	const others = ask.items.flatMap((item, index) => [
		...usedRecipients(ask, item, index, used.get(index)),
		...(over !== undefined && left.has(index) ? leftRecipients(ask, item, index, over) : []),
	]);
	const all = [...sent, ...others].sort((a, b) => a.source - b.source || a.position - b.position);
	const leftOut = waves.results.reduce((sum, result) => sum + leftOutOf(result), 0);
	const hint = hintOf(all, leftOut);
	if (hint !== undefined) context.addExecutionHints({ message: hint, type: 'warning', location: 'outputPane' });
	const unreadable = ask.items.flatMap((item, index) =>
		item instanceof InputError ? [rejectedItem(run, labels, item, index)] : [],
	);
	const rows = [...all.map((one) => recipientItem(context, labels, one)), ...unreadable];
	return calledByAgent(context) ? [rows] : [rows, [summaryItem(waves.results, all)]];
}

/** Whether certainly nothing was sent to a recipient, neither by this run nor by an earlier call of an agent. */
function isNotSent(one: RecipientResult): boolean {
	return one.outcome === 'rejected' || (one.outcome === 'skipped' && one.reason !== 'already_sent');
}

/** The recipients of an item whose Send Once Key was used before. */
function usedRecipients(
	ask: BulkItems,
	item: BulkItems['items'][number],
	index: number,
	row: UsedKeyRow | undefined,
): RecipientResult[] {
	if (item instanceof InputError || row === undefined) return [];
	const { reason, message } = row;
	return recipientsOfItem(ask, item).map((one) => ({
		...one,
		source: index,
		outcome: 'skipped',
		reason,
		message,
	}));
}

/** The recipients of an item that did not go out because the run had ended. */
function leftRecipients(
	ask: BulkItems,
	item: BulkItems['items'][number],
	index: number,
	reason: 'cancelled' | ServiceError,
): RecipientResult[] {
	if (item instanceof InputError) return [];
	return recipientsOfItem(ask, item).map((one) => ({ ...one, source: index, outcome: 'not_attempted', reason }));
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
		sentences.push(`${were} already accepted${named}${runAgainNote(recipients, isOptionSet(context, 'sendOnceKey'))}`);
	}
	const recipients = recipientsIn(unknown);
	if (recipients > 0)
		sentences.push(maybeSent(`The message to ${recipients === 1 ? '1 recipient' : `${recipients} recipients`}`));
	return sentences.join(' ');
}

function recipientsIn(results: readonly BatchResult[]): number {
	return results.reduce((sum, { input }) => sum + input.recipients.length, 0);
}

function rejectAll(run: Run, labels: Labels, error: ServiceError): INodeExecutionData[][] {
	const { context, stops } = run;
	if (stops) throw errorToStopWith(context, error, undefined, labels, '');
	return [context.getInputData().map((_, index) => rejectedItem(run, labels, error, index)), []];
}

function rejectedItem({ context }: Run, labels: Labels, error: ServiceError, index: number): INodeExecutionData {
	return { json: failureRow(context, { outcome: 'rejected', error }, labels), pairedItem: { item: index } };
}
