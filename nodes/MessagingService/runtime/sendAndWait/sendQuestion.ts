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
	/** The text of the message, with the link. */
	readonly text: string;
	readonly question: Question;
	/** Distinguishes the question from earlier ones of the same node and execution. */
	readonly run: string;
	/** When to continue without a response. */
	readonly waitTill: Date;
	/** Fields of the output in addition to the service's. */
	readonly beside: IDataObject;
}

/** Longest wait if it is unknown whether the question arrived, in milliseconds. */
const LONGEST_WAIT_IN_DOUBT_MS = 24 * 60 * 60 * 1000;

/**
 * Sends a question and puts the execution to wait for the response. It accepts one item, because n8n can wait for one
 * response at a time. If the outcome is unknown, it still waits, for up to a day: the question may have arrived, and
 * another one would be charged again. The limits and the Send Once Key hold as for every send. If the key was used
 * before, it sends nothing and does not wait: the link of the first question belongs to another execution, or to an
 * earlier run of this one.
 * @throws NodeApiError, NodeOperationError if nothing was sent and the run has to stop
 */
export async function sendQuestion(
	run: Run,
	prepare: () => QuestionToSend | InputError,
): Promise<INodeExecutionData[][]> {
	const { context, labels, stops } = run;
	const unusable = run.client instanceof ServiceError ? run.client : undefined;
	const question = unusable ?? cannotWait(context) ?? readable(prepare, stops);
	const fail = (failed: FailedOutcome) => {
		if (stops) throw toNodeError(context.getNode(), failed.error, 0, labels);
		const input = question instanceof ServiceError ? question : question.call;
		return [toItems(run, { index: 0, input, ...failed })];
	};
	if (question instanceof ServiceError) return fail({ outcome: 'rejected', error: question });

	const intended = [{ text: question.text, recipients: 1 }];
	const candidate = wasCalled(run, question.call, 0) ? undefined : question.call;
	const reservation = await reserve(run, [candidate], (maySend) => (maySend(0) ? intended : []));
	if (reservation instanceof InputError) return fail({ outcome: 'rejected', error: reservation });
	const usedKeyRow = reservation.skippedRow(0);
	if (usedKeyRow) return [[{ json: usedKeyRow, pairedItem: { item: 0 } }]];

	const signal = context.getExecutionCancelSignal();
	const outcome = await callOnce(run, question.call, 0, { signal });
	await reservation.settle([outcome], candidate && outcome.outcome === 'rejected' ? intended : []);
	const over = outcome.outcome === 'rejected' || (outcome.outcome === 'unknown' && signal?.aborted);
	if (outcome.outcome !== 'accepted' && over) return fail(outcome);

	const row = { ...rowOf(outcome), ...question.beside };
	saveQuestion(context, { question: question.question, run: question.run, row });
	const inDoubt = outcome.outcome === 'accepted' ? Infinity : Date.now() + LONGEST_WAIT_IN_DOUBT_MS;
	const pairedItem = { item: 0 };
	// n8n's output when the time is up. Otherwise it would be the input, which has no fields of the message.
	context.getExecuteData().data.main = [[{ json: { ...row, timed_out: true }, pairedItem }]];
	await context.putExecutionToWait(new Date(Math.min(question.waitTill.getTime(), inDoubt)));
	return [[{ json: row, pairedItem }]];
}

function cannotWait(context: IExecuteFunctions): InputError | undefined {
	const reject = (message: string) => new InputError('node', [{ field: 'Send and Wait for Response', message }]);
	if (calledByAgent(context)) {
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

function rowOf(outcome: Outcome<unknown>): IDataObject {
	if (outcome.outcome === 'accepted') {
		return { ...jsonParse<IDataObject>(JSON.stringify(outcome.output)), outcome: 'accepted' };
	}
	const { message, description } = explainError(outcome.error);
	const words = `${message.replace(/\.$/, '')}. ${description}`;
	return { outcome: 'unknown', warning: `It is not known whether the message arrived. ${words}` };
}
