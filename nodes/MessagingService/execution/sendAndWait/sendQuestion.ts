import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { jsonParse } from 'n8n-workflow';
import { CanceledError, InputError, ServiceError, withSentFields, type Outcome } from '../../../../shared';
import { explainError, toNodeError } from '../../host/errors';
import { readable } from '../../host/parameters';
import type { Call, Run } from '../operation';
import { SkippedRow, toItems, type Item } from '../outputItems';
import { ItemSending } from '../runItems';
import { sendUnits } from '../sendUnits';
import { saveQuestion, type Question } from './question';

/** A question, ready to be sent. */
export interface QuestionToSend {
	readonly call: Call;
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
	const question = unusable ?? cannotWait(run) ?? readable(prepare, stops);
	const fail = (error: ServiceError, outcome: 'rejected' | 'unknown' = 'rejected') => {
		if (stops) throw toNodeError(context.getNode(), error, 0, labels);
		const item: Item = question instanceof ServiceError ? question : question.call;
		return [toItems(run, { index: 0, input: { index: 0, item, names: [] }, outcome, error })];
	};
	if (question instanceof ServiceError) return fail(question);

	const sending = new ItemSending(run, [question.call]);
	const rejection = await sendUnits(run, sending);
	const [outcome] = sending.results;
	if (rejection) return fail(rejection);
	if (!outcome) return [];
	const canceled = context.getExecutionCancelSignal()?.aborted;
	if (outcome.outcome === 'rejected' || (outcome.outcome === 'unknown' && canceled)) {
		return fail(outcome.error, outcome.outcome);
	}
	const skipped = outcome.outcome === 'accepted' && outcome.output instanceof SkippedRow;
	// A row would show a successful step, although no question was sent.
	if (outcome.outcome === 'not_attempted' && stops) return fail(canceledError(question.call));
	if (skipped || outcome.outcome === 'not_attempted') return [toItems(run, outcome)];

	const { endpoint, input } = question.call;
	const row = { ...withSentFields(endpoint, input, rowOf(outcome)), ...question.beside };
	saveQuestion(context, { question: question.question, run: question.run, row });
	const inDoubt = outcome.outcome === 'accepted' ? Infinity : Date.now() + LONGEST_WAIT_IN_DOUBT_MS;
	const pairedItem = { item: 0 };
	// n8n's output when the time is up. Otherwise it would be the input, which has no fields of the message.
	context.getExecuteData().data.main = [[{ json: { ...row, timed_out: true }, pairedItem }]];
	await context.putExecutionToWait(new Date(Math.min(question.waitTill.getTime(), inDoubt)));
	return [[{ json: row, pairedItem }]];
}

/** A single question is not attempted only if the execution was canceled. */
function canceledError({ endpoint }: Call): CanceledError {
	const message = 'The question was not sent, because the execution was canceled';
	return new CanceledError(message, { endpoint: endpoint.id, sent: 'no', hint: 'Nothing was sent or charged.' });
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

function rowOf(outcome: Outcome<unknown>): IDataObject {
	if (outcome.outcome === 'accepted') {
		return { ...jsonParse<IDataObject>(JSON.stringify(outcome.output)), outcome: 'accepted' };
	}
	const { message, description } = explainError(outcome.error);
	const words = `${message.replace(/\.$/, '')}. ${description}`;
	return { outcome: 'unknown', warning: words };
}
