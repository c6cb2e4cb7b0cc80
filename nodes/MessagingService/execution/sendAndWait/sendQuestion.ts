import type { INodeExecutionData } from 'n8n-workflow';
import { InputError, ServiceError } from '../../../../shared';
import { toNodeError } from '../../host/errors';
import { readable } from '../../host/parameters';
import { predictedItems } from '../dryRun';
import type { DryRun, Run } from '../operation';
import { blockOf, SkippedRow, toItems, type Item, type Result } from '../outputItems';
import { recipientParameter } from '../recipientParameter';
import { canceledError, messageCall, sendAll } from './messages';
import { missingOutputs, onOutput } from './outputs';
import type { Approver, Question, Reminder } from './question';
import { reminderDue, sendReminder } from './reminder';
import { messageRow } from './rows';
import { waitForResponse } from './wait';

/** A question, ready to be sent. */
export interface QuestionToSend {
	readonly question: Question;
	/** The numbers of the approvers in E.164, each once. */
	readonly approvers: readonly string[];
	readonly priority: boolean;
	readonly sendOnceKey: string | undefined;
	/** When to continue without a response. */
	readonly waitTill: Date;
	readonly reminder: Reminder | undefined;
}

/** Longest wait if it is unknown whether the question arrived, in milliseconds. */
const LONGEST_WAIT_IN_DOUBT_MS = 24 * 60 * 60 * 1000;

/**
 * Sends a question to its approvers, each with an own link, and puts the execution to wait for the first response. It
 * accepts one item, because n8n can wait for one question at a time. If a part of the messages is rejected, it waits for
 * the other approvers. If no message was accepted and an outcome is unknown, it still waits, for up to a day: the
 * question may have arrived, and another one would be charged again. The limits and the Send Once Key hold as for every
 * send. If the key was used before, it sends nothing and does not wait: the link of the first question belongs to another
 * execution, or to an earlier run of this one. An item that comes back from the Reminder output sends a reminder instead.
 * A dry run neither sends nor waits.
 * @throws NodeApiError, NodeOperationError if nothing was sent and the run has to stop
 */
export async function sendQuestion(
	run: Run,
	prepare: () => QuestionToSend | InputError,
): Promise<INodeExecutionData[][]> {
	const { context, labels, stops } = run;
	const cannot = cannotWait(run);
	const due = cannot ?? reminderDue(context);
	if (due && !(due instanceof InputError) && !run.dryRun) return await sendReminder(run, due);
	const unusable = run.client instanceof ServiceError ? run.client : undefined;
	const question = unusable ?? (due instanceof InputError ? due : due && dryReminder()) ?? readable(prepare, stops);
	const fail = (error: ServiceError, item: Item, outcome: 'rejected' | 'unknown' = 'rejected') => {
		if (stops) throw toNodeError(context.getNode(), error, 0, labels);
		return [toItems(run, { index: 0, input: { index: 0, item, names: [] }, outcome, error })];
	};
	const block = (reason: ServiceError, item: Item, to?: string) => {
		if (stops) throw toNodeError(context.getNode(), reason, 0, labels);
		const input = { index: 0, item, names: [], to };
		return [toItems(run, { index: 0, input, outcome: 'not_attempted', reason })];
	};
	if (unusable) return block(unusable, unusable, recipientParameter(run, 0));
	if (question instanceof ServiceError) return fail(question, question);

	const linkRun = String(context.getWorkflowDataProxy(0).$runIndex);
	const calls = question.approvers.map((_, index) => messageCall(context, { ...question, run: linkRun }, index));
	const sent = await sendAll(run, calls);
	const [first] = sent;
	if (!first) return [];
	const results = sent.map(({ result }) => result);
	const accepted = results.some((result) => result.outcome === 'accepted' && !wasSkipped(result));
	const unknown = results.find(({ outcome }) => outcome === 'unknown');
	if (!accepted && (!unknown || context.getExecutionCancelSignal()?.aborted)) {
		const failed = unknown ?? results.find(({ outcome }) => outcome === 'rejected');
		if (failed && 'error' in failed) return fail(failed.error, first.call, unknown ? 'unknown' : 'rejected');
		const blocked = blockOf(results);
		const [only, ...others] = question.approvers;
		if (blocked) return block(blocked, first.call, others.length === 0 ? only : undefined);
		const skipped = results.find(wasSkipped);
		if (skipped && run.dryRun) {
			return onOutput(context, 'noResponse', await predicted(run, run.dryRun, results));
		}
		if (skipped) return onOutput(context, 'noResponse', toItems(run, skipped));
		// A row would show a successful step, although no question was sent.
		return stops ? fail(canceledError(first.call, 'question'), first.call) : [toItems(run, first.result)];
	}
	if (run.dryRun) return onOutput(context, 'response', await predicted(run, run.dryRun, results));

	const approvers: Approver[] = sent.map(({ call, result }, index) => ({
		to: question.approvers[index] ?? '',
		asked: (result.outcome === 'accepted' && !wasSkipped(result)) || result.outcome === 'unknown',
		row: messageRow(call, result, labels),
		reminders: [],
	}));
	// Without outputs to continue on, n8n would drop the item at that time.
	const endless = accepted || missingOutputs(context) !== undefined;
	const inDoubt = endless ? Number.POSITIVE_INFINITY : Date.now() + LONGEST_WAIT_IN_DOUBT_MS;
	return await waitForResponse(run, {
		question: question.question,
		priority: question.priority,
		sendOnceKey: question.sendOnceKey,
		reminder: question.reminder,
		approvers,
		run: linkRun,
		newestRun: Number(linkRun),
		endsAt: Math.min(question.waitTill.getTime(), inDoubt),
		reminders: 0,
	});
}

/** Its question is open, so a prediction would end the wait for the response. */
function dryReminder(): InputError {
	const message = 'is on for a reminder of a question that was sent: use one value for the whole execution';
	return new InputError('node', [{ field: 'dryRun', message }]);
}

/** The rows of a dry run. The messages to all approvers belong to the only item. */
async function predicted(run: Run, dryRun: DryRun, results: readonly Result[]): Promise<INodeExecutionData[]> {
	const forOneItem = results.map((result) => ({ ...result, input: { ...result.input, index: 0 } }));
	const items = await predictedItems(run, dryRun, forOneItem);
	// With its link, anyone who sees the output could answer.
	const withoutLink = (text: unknown) => (typeof text === 'string' ? text.replace(/\?\S+$/, '?…') : undefined);
	return items.map(({ json, ...item }) => {
		const { message, cheaper_message } = json;
		const texts = { message: withoutLink(message), cheaper_message: withoutLink(cheaper_message) };
		return { ...item, json: { ...json, ...Object.fromEntries(Object.entries(texts).filter(([, text]) => text)) } };
	});
}

function wasSkipped(result: object): boolean {
	return 'output' in result && result.output instanceof SkippedRow;
}

function cannotWait({ context, byAgent }: Run): InputError | undefined {
	const reject = (message: string) => new InputError('node', [{ field: 'Send and Wait for Response', message }]);
	if (byAgent) {
		return reject(
			'cannot wait when an agent calls it as a tool. Put the Human Review version of this node between the agent and the tool',
		);
	}
	const { length } = context.getInputData();
	if (length === 1) return undefined;
	return reject(
		`accepts one item but got ${length}, because an execution can wait for one response only. Put a Loop Over Items node before it`,
	);
}
