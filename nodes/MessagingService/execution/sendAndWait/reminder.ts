import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { InputError } from '../../../../shared';
import { toNodeError } from '../../host/errors';
import type { Run } from '../operation';
import { canceledError, messageCall, sendAll } from './messages';
import { endOfRun, onOutput } from './outputs';
import { earlierQuestion, questionId, type SentQuestion } from './question';
import { messageRow, questionRow } from './rows';
import { waitForResponse } from './wait';

/**
 * Whether the item comes back from the Reminder output. n8n cannot run a node again after its wait, so the workflow leads
 * the item back.
 * @returns the question to repeat; undefined if the item asks a new question; an error if neither is certain, because a
 * question by mistake would be charged
 */
export function reminderDue(context: IExecuteFunctions): SentQuestion | InputError | undefined {
	const asked = earlierQuestion(context);
	if (!asked?.reminder) return undefined;
	const isDue = endOfRun(context, asked.newestRun)?.name === 'reminder';
	const comesBack = context.getInputData()[0]?.json.question_id === questionId(asked, context.getNode().name);
	if (isDue && comesBack) return asked;
	const wrong = (message: string) => new InputError('node', [{ field: 'reminder', message }]);
	if (isDue) {
		return wrong(
			'is due, but the item lost its question_id: lead the Reminder output back through the No Operation node',
		);
	}
	return comesBack ? wrong('is not due for this item: connect the Reminder output back only once') : undefined;
}

/**
 * Reminds the approvers of a question, who all have not responded, and waits on. Each message has the link of the
 * question. A reminder that cannot be sent does not end the wait, because the question is still open.
 * @throws NodeApiError, NodeOperationError if the execution was canceled
 */
export async function sendReminder(run: Run, asked: SentQuestion): Promise<INodeExecutionData[][]> {
	const { context, labels } = run;
	if (!asked.reminder || asked.endsAt <= Date.now()) {
		const json = { ...questionRow(asked), timed_out: true };
		return onOutput(context, 'noResponse', [{ json, pairedItem: { item: 0 } }]);
	}
	const reminders = asked.reminders + 1;
	const reminder = { ...asked.reminder, number: reminders };
	const messages = { ...asked, approvers: asked.approvers.map(({ to }) => to) };
	const open = [...asked.approvers.keys()].filter((index) => asked.approvers[index]?.asked);
	const calls = open.map((index) => messageCall(context, messages, index, reminder));
	const sent = await sendAll(run, calls);
	const [first] = sent;
	if (first && sent.every(({ result }) => result.outcome === 'not_attempted' && result.reason === 'canceled')) {
		throw toNodeError(context.getNode(), canceledError(first.call, 'reminder'), 0, labels);
	}
	const approvers = asked.approvers.map((approver, index) => {
		const message = sent[open.indexOf(index)];
		if (!message) return approver;
		return { ...approver, reminders: [...approver.reminders, messageRow(message.call, message.result, labels)] };
	});
	const newestRun = Number(context.getWorkflowDataProxy(0).$runIndex);
	return await waitForResponse(run, { ...asked, approvers, reminders, newestRun });
}
