import type { INodeExecutionData } from 'n8n-workflow';
import {
	contract,
	InputError,
	keepRecipients,
	leftOutOf,
	mayBeOneRecipient,
	recipientResults,
	sendBatches,
	skippedResults,
	type Batch,
	type BatchResult,
	type BulkAnswer,
	type CallOptions,
	type Outcome,
	type RecipientResult,
} from '../../../../shared';
import { admit } from '../admission';
import { calledByAgent } from '../calledByAgent';
import { callOnce, wasCalled } from '../callOnce';
import { toNodeError } from '../errors';
import type { Intended } from '../guards';
import { againOf, failureRow } from '../items';
import { call, type Run } from '../operation';
import type { UsedKeyRow } from '../sendOnce';
import { takeForAgent, type AgentTexts } from './agentTexts';
import {
	nameOfText,
	planBulk,
	readBulk,
	recipientsOfItem,
	type BulkAsk,
	type BulkOptions,
	type BulkPlan,
} from './bulkPlan';
import { hintOf, outcomesByItem, recipientItem, summaryItem } from './bulkRows';
import { bulkTries, type BulkTry } from './bulkTries';

type Labels = Readonly<Record<string, string>>;

/**
 * Sends one text to many: a row for each recipient on the first output, a summary on the second. What may be sent is
 * decided before the first request leaves.
 * @param labels display names by wire name
 * @throws NodeApiError, NodeOperationError for the first request that fails, where the run is to stop; its description
 * names what was sent
 */
export async function bulkRun(run: Run, labels: Labels): Promise<INodeExecutionData[][]> {
	const { context, stops } = run;
	const { before, keep } = bulkTries(run);
	const ask = before?.ask ?? readBulk(run);
	if (ask instanceof InputError) return refuseAll(run, labels, ask);
	const unfit = ask.items.findIndex((item) => item instanceof InputError);
	const wrong = ask.items[unfit];
	if (stops && wrong instanceof InputError) throw toNodeError(context.getNode(), wrong, unfit, labels);

	const candidates = ask.items.map((item, index) => {
		const held = !(item instanceof InputError) && item.sendOnceKey !== undefined && before?.held.has(item.sendOnceKey);
		return item instanceof InputError || held || before?.used.has(index) ? undefined : item;
	});
	let plan: BulkPlan = { batches: [], skipped: [] };
	let intended: readonly Batch[] = [];
	let agentTexts: AgentTexts | undefined;
	const admission = await admit(run, candidates, (leaves) => {
		const goes = (index: number) => candidates[index] === undefined || leaves(index);
		plan = before ? without(before.plan, goes) : planBulk(ask, goes);
		if (calledByAgent(context)) ({ plan } = agentTexts = takeForAgent(context, plan));
		intended = plan.batches.filter((batch) => !wasCalled(run, callOf(batch), placeOf(batch)));
		return intended.map(intendedBy);
	});
	if (admission instanceof InputError) {
		agentTexts?.giveBack();
		return refuseAll(run, labels, admission);
	}

	const results = await sendAll(run, plan, ask.options);
	agentTexts?.giveBack(results);
	const recipients = [...results.flatMap(recipientResults), ...skippedResults(plan.skipped)];
	const textNames = ask.items.map((item) => (item instanceof InputError ? '' : nameOfText(item.text)));
	const byItem = outcomesByItem(recipients, (index) => textNames[index] ?? '');
	const outcomes = ask.items.map((_, index) => byItem.get(index));
	const counted = new Set(plan.batches.filter((batch) => !intended.includes(batch)).map(({ name }) => name));
	const unsent = results.filter(
		({ outcome, input }) => (outcome === 'rejected' || outcome === 'not_tried') && !counted.has(input.name),
	);
	await admission.settle(
		outcomes,
		unsent.map(({ input }) => intendedBy(input)),
	);

	const usedKeys = new Map(before?.used);
	for (const index of ask.items.keys()) {
		const row = admission.instead(index);
		if (row) usedKeys.set(index, row);
	}
	// n8n also tries again where the run goes on and the first row tells of a failure.
	const carriedOut = { batches: results.map(({ input }) => input), skipped: plan.skipped };
	const tried = { ask, plan: carriedOut, held: heldKeys(ask, outcomes, before), used: usedKeys };
	keep(results.every(({ outcome }) => outcome === 'accepted') ? undefined : tried);
	const failed = results.find((result) => fails(result, ask.options));
	if (stops && failed && 'error' in failed) {
		const error = toNodeError(context.getNode(), failed.error, failed.input.recipients[0]?.source, labels);
		error.description = [error.description, sentIn(ask, results)].filter(Boolean).join(' ');
		throw error;
	}
	const used = ask.items.flatMap((item, index) => usedRecipients(ask, item, index, usedKeys.get(index)));
	const all = [...recipients, ...used].sort((a, b) => a.source - b.source || a.position - b.position);
	const leftOut = results.reduce((sum, result) => sum + leftOutOf(result), 0);
	const hint = hintOf(all, leftOut);
	if (hint !== undefined) context.addExecutionHints({ message: hint, type: 'warning', location: 'outputPane' });
	const unreadable = ask.items.flatMap((item, index) =>
		item instanceof InputError ? [refusedItem(run, labels, item, index)] : [],
	);
	const rows = [...all.map((one) => recipientItem(context, labels, one)), ...unreadable];
	return calledByAgent(context) ? [rows] : [rows, [summaryItem(results, all)]];
}

async function sendAll(run: Run, { batches }: BulkPlan, options: BulkOptions): Promise<BatchResult[]> {
	const { context, parallel, stops } = run;
	const { splitRefused } = options;
	const make = async (batch: Batch, _: number, callOptions: CallOptions) =>
		readBulkOutcome(await callOnce(run, callOf(batch), placeOf(batch), callOptions));
	const signal = context.getExecutionCancelSignal();
	const stopOnFailure = stops && !splitRefused;
	const results: BatchResult[] = [];
	for await (const result of sendBatches(make, batches, {
		concurrency: parallel,
		signal,
		stopOnFailure,
		splitRefused,
	})) {
		results.push(result);
		if (batches.length > 1) context.sendMessageToUI(`${results.length} of ${batches.length} requests done`);
	}
	return results;
}

/** The ledger keeps outcomes of any call; this one's was read by the same schema before. */
function readBulkOutcome(outcome: Outcome<unknown>): Outcome<BulkAnswer> {
	if (outcome.outcome !== 'accepted') return outcome;
	return { outcome: 'accepted', output: contract.sms.sendBulk.output.parse(outcome.output) };
}

function callOf({ input }: Batch) {
	return call(contract.sms.sendBulk, input);
}

function placeOf({ name }: Batch): string {
	return `batch ${name}`;
}

function intendedBy({ input }: Batch): Intended {
	return { text: input.message, recipients: input.to.length };
}

/** A plan without those who came from other items. */
function without({ batches, skipped }: BulkPlan, goes: (index: number) => boolean): BulkPlan {
	return {
		batches: keepRecipients(batches, ({ source }) => goes(source)),
		skipped: skipped.filter(({ source }) => goes(source)),
	};
}

/** Whoever has requests split asked to go on without the numbers at fault. */
function fails(result: BatchResult, { splitRefused }: BulkOptions): boolean {
	if (result.outcome === 'unknown') return true;
	return result.outcome === 'rejected' && !(splitRefused && mayBeOneRecipient(result));
}

function heldKeys(
	{ items }: BulkAsk,
	outcomes: ReadonlyArray<Outcome<unknown> | undefined>,
	before: BulkTry | undefined,
): ReadonlySet<string> {
	const now = items.flatMap((item, index) =>
		item instanceof InputError || item.sendOnceKey === undefined || !outcomes[index] ? [] : [item.sendOnceKey],
	);
	return new Set([...(before?.held ?? []), ...now]);
}

/** The recipients of an item whose Send Once Key was used before. */
function usedRecipients(
	ask: BulkAsk,
	item: BulkAsk['items'][number],
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

function sentIn({ items }: BulkAsk, results: readonly BatchResult[]): string {
	const accepted = results.flatMap((result) => (result.outcome === 'accepted' ? [result] : []));
	if (accepted.length === 0) return '';
	const people = accepted.reduce((sum, { input }) => sum + input.recipients.length, 0);
	const ids = accepted.flatMap(({ output }) => output.batch_id ?? []).slice(0, 5);
	const named = ids.length > 0 ? ` (${ids.join(', ')}${ids.length < accepted.length ? ', …' : ''})` : '';
	const were = people === 1 ? '1 recipient was' : `${people} recipients were`;
	const keyed = items.every((item) => !(item instanceof InputError) && item.sendOnceKey !== undefined);
	return `${were} already accepted${named}${againOf(people, keyed)}`;
}

function refuseAll(run: Run, labels: Labels, error: InputError): INodeExecutionData[][] {
	const { context, stops } = run;
	if (stops) throw toNodeError(context.getNode(), error, undefined, labels);
	return [context.getInputData().map((_, index) => refusedItem(run, labels, error, index)), []];
}

function refusedItem({ context }: Run, labels: Labels, error: InputError, index: number): INodeExecutionData {
	return { json: failureRow(context, { outcome: 'rejected', error }, labels), pairedItem: { item: index } };
}
