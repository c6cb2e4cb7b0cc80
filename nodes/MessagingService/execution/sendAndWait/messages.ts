import type { IExecuteFunctions } from 'n8n-workflow';
import { CanceledError, contract } from '../../../../shared';
import { makeCall, type Call, type Run } from '../operation';
import type { Result } from '../outputItems';
import { sendItems } from '../runItems';
import { responseUrl } from './resumeUrl';
import type { Question, Reminder } from './question';

/** The parts of a question that its messages need. */
interface QuestionMessages {
	readonly question: Question;
	/** The run of the node that asked first. */
	readonly run: string;
	/** The numbers of the approvers in E.164. */
	readonly approvers: readonly string[];
	readonly priority: boolean;
	readonly sendOnceKey?: string | undefined;
}

/**
 * Makes the message to one approver: the question and the approver's own link.
 * @param index of the approver
 * @param reminder its words, and the number of the reminder from 1, if the message is one. It has the link of the question
 */
export function messageCall(
	context: IExecuteFunctions,
	{ question, run, approvers, priority, sendOnceKey }: QuestionMessages,
	index: number,
	reminder?: Pick<Reminder, 'intro'> & { readonly number: number },
): Call {
	const to = approvers[index] ?? '';
	const sms = (link: string) =>
		makeCall(contract.sms.send, {
			sender_id: question.sender,
			to,
			message: messageText(question.message, link, reminder?.intro),
			...(priority && { priority }),
		});
	const call = sms(responseUrl(context, run, index));
	if (sendOnceKey === undefined) return call;
	// One key for several messages would skip all but the first.
	const parts = [
		sendOnceKey,
		...(approvers.length > 1 ? [`to ${to}`] : []),
		...(reminder ? [`reminder ${reminder.number}`] : []),
	];
	// The link differs in each execution, but the question is the same.
	return { ...call, sendOnceKey: parts.join(' '), given: sms('') };
}

/** Makes the text of a message from the question, its link, and the words of a reminder. */
export function messageText(question: string, link: string, intro = ''): string {
	return `${intro === '' ? '' : `${intro} `}${question}\n${link}`;
}

/** One message and its result. */
export interface SentMessage {
	readonly call: Call;
	readonly result: Result;
}

/**
 * Sends messages, with the limits and keys of every send. A rejected message does not keep the others from being sent.
 * If the limits allow nothing, no message is attempted.
 */
export async function sendAll(run: Run, calls: readonly Call[]): Promise<SentMessage[]> {
	const goesOn: Run = { ...run, stops: false };
	const { results } = await sendItems(goesOn, calls);
	return results.flatMap((result) => {
		const call = calls[result.input.index];
		return call ? [{ call, result }] : [];
	});
}

/** The error of a message that was not sent, because the execution was canceled. */
export function canceledError({ endpoint }: Call, what: 'question' | 'reminder'): CanceledError {
	const message = `The ${what} was not sent, because the execution was canceled`;
	return new CanceledError(message, { endpoint: endpoint.id, sent: 'no', hint: 'Nothing was sent or charged.' });
}
