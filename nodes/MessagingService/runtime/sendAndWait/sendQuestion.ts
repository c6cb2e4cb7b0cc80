import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { jsonParse } from 'n8n-workflow';
import { InputError, ServiceError, type FailedOutcome, type Outcome } from '../../../../shared/index';
import { reserve } from '../reservation';
import { calledByAgent } from '../calledByAgent';
import { callOnce, wasCalled } from '../callOnce';
import { explainError, toNodeError } from '../errors';
import { toItems } from '../outputItems';
import type { Call, Run } from '../operation';
import { readable } from '../parameters';
import { saveQuestion, type Question } from './question';

/** A question, ready to be sent. */
export interface QuestionToSend {
	readonly call: Call;
	/** The text that is sent, with the link. */
	readonly text: string;
	readonly question: Question;
	/** What tells the question from those that the node asked before in the same execution. */
	readonly run: string;
	/** When to go on without an answer. */
	readonly waitTill: Date;
	/** Fields of the output beside those of the service. */
	readonly beside: IDataObject;
}

/** Where nobody knows whether the question has arrived, nobody waits longer than this. In milliseconds. */
const LONGEST_WAIT_IN_DOUBT_MS = 24 * 60 * 60 * 1000;

/**
 * Sends a question and lets the execution wait for the answer. n8n can wait for one answer at a time, and so takes one
 * item. A question of which nobody knows whether it has arrived is waited for as well, at most a day: it may have, and
 * asking again would be paid again.
 * The limits and the Send Once Key hold as for every send. If the key was used before, nothing is sent and nothing is
 * waited for: the link of the first question belongs to another execution, or to an earlier run of this one.
 * @param labels display names by wire name
 * @throws NodeApiError, NodeOperationError where nothing was sent and the run is to stop
 */
export async function sendQuestion(
	run: Run,
	labels: Readonly<Record<string, string>>,
	prepare: () => QuestionToSend | InputError,
): Promise<INodeExecutionData[][]> {
	const { context, stops } = run;
	const unusable = run.client instanceof ServiceError ? run.client : undefined;
	const question = unusable ?? cannotWait(context) ?? readable(prepare, stops);
	const fail = (failed: FailedOutcome) => {
		if (stops) throw toNodeError(context.getNode(), failed.error, 0, labels);
		const input = question instanceof ServiceError ? question : question.call;
		return [toItems(context, labels, { index: 0, input, ...failed })];
	};
	if (question instanceof ServiceError) return fail({ outcome: 'rejected', error: question });

	const intended = [{ text: question.text, recipients: 1 }];
	const candidate = wasCalled(run, question.call, 0) ? undefined : question.call;
	const admission = await reserve(run, [candidate], (leaves) => (leaves(0) ? intended : []));
	if (admission instanceof InputError) return fail({ outcome: 'rejected', error: admission });
	const usedKeyRow = admission.instead(0);
	if (usedKeyRow) return [[{ json: usedKeyRow, pairedItem: { item: 0 } }]];

	const signal = context.getExecutionCancelSignal();
	const outcome = await callOnce(run, question.call, 0, { signal });
	await admission.settle([outcome], candidate && outcome.outcome === 'rejected' ? intended : []);
	const over = outcome.outcome === 'rejected' || (outcome.outcome === 'unknown' && signal?.aborted);
	if (outcome.outcome !== 'accepted' && over) return fail(outcome);

	const row = { ...rowOf(outcome), ...question.beside };
	saveQuestion(context, { question: question.question, run: question.run, row });
	const inDoubt = outcome.outcome === 'accepted' ? Infinity : Date.now() + LONGEST_WAIT_IN_DOUBT_MS;
	const pairedItem = { item: 0 };
	// What n8n lets through when the time is up: it would be the input, which tells nothing of the text.
	context.getExecuteData().data.main = [[{ json: { ...row, timed_out: true }, pairedItem }]];
	await context.putExecutionToWait(new Date(Math.min(question.waitTill.getTime(), inDoubt)));
	return [[{ json: row, pairedItem }]];
}

function cannotWait(context: IExecuteFunctions): InputError | undefined {
	const reject = (message: string) => new InputError('node', [{ field: 'Send and Wait for Response', message }]);
	if (calledByAgent(context)) {
		return reject(
			'cannot wait while an agent calls it as a tool: put the Human Review version of this node between agent and tool',
		);
	}
	const { length } = context.getInputData();
	if (length === 1) return undefined;
	return reject(
		`takes one item and got ${length}, since a workflow waits for one answer at a time: put a Loop Over Items node before it`,
	);
}

function rowOf(outcome: Outcome<unknown>): IDataObject {
	if (outcome.outcome === 'accepted') {
		return { ...jsonParse<IDataObject>(JSON.stringify(outcome.output)), outcome: 'accepted' };
	}
	const { message, description } = explainError(outcome.error);
	const words = `${message.replace(/\.$/, '')}. ${description}`;
	return { outcome: 'unknown', warning: `It is not known whether the text has arrived. ${words}` };
}
