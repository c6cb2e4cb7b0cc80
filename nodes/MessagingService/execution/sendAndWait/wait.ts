import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { requireSignature } from '../../host/olderN8n';
import type { Run } from '../operation';
import { hasOutputs, onOutput, type OutputName } from './outputs';
import { questionId, saveQuestion, type SentQuestion } from './question';
import { questionRow } from './rows';

/**
 * Puts the execution to wait for the response to a question. It continues after the first response. Without one, it
 * continues when the next reminder is due, or when the time is up.
 * @returns the output that the editor shows while the execution waits
 */
export async function waitForResponse({ context }: Run, sent: SentQuestion): Promise<INodeExecutionData[][]> {
	saveQuestion(context, sent);
	const row = questionRow(sent);
	const remindAt = nextReminder(sent);
	const [output, atEnd]: [OutputName, IDataObject] =
		remindAt < sent.endsAt
			? ['reminder', { ...row, timed_out: false, question_id: questionId(sent, context.getNode().name) }]
			: ['noResponse', { ...row, timed_out: true }];
	// n8n's output after the wait. Otherwise it would be the input, which has no fields of the message.
	context.getExecuteData().data.main = onOutput(context, output, [{ json: atEnd, pairedItem: { item: 0 } }]);
	// Otherwise n8n continues only on the first output.
	if (hasOutputs(context)) context.setMetadata({ forwardAllOutputs: true });
	requireSignature(context);
	await context.putExecutionToWait(new Date(Math.min(remindAt, sent.endsAt)));
	return [[{ json: row, pairedItem: { item: 0 } }]];
}

/** When the next reminder is due, in milliseconds since 1970. */
function nextReminder({ reminder, reminders }: SentQuestion): number {
	return reminder && reminders < reminder.times ? Date.now() + reminder.everyMs : Number.POSITIVE_INFINITY;
}
