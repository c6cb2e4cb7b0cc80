import { type IDataObject, type IExecuteFunctions, SEND_AND_WAIT_OPERATION } from 'n8n-workflow';
import { InputError, MAX_MESSAGE_CHARACTERS, showsSomething, textProblem } from '../../../../shared';
import { messageText } from '../../execution/sendAndWait/messages';
import { responseUrl, unreachableLink } from '../../execution/sendAndWait/resumeUrl';
import { sendQuestion, type QuestionToSend } from '../../execution/sendAndWait/sendQuestion';
import type { RunOperation, Session } from '../../execution/operation';
import {
	messageParameter,
	optionsParameter,
	phonesParameter,
	priorityOption,
	sendOnceKey,
	textParameter,
} from '../../host/parameters';
import type { Question } from '../../execution/sendAndWait/question';
import { messageField, optionsField, phoneField, senderIdField, shownFor, smsOptions } from '../fields';
import { limitWaitTimeOption, waitTill } from '../limitWaitTime';
import { readReminder, reminderOption } from '../reminder';

/** Maximum number of approvers, because a long list is more likely a campaign by mistake. */
const MOST_APPROVERS = 20;

const { show } = shownFor('sms', SEND_AND_WAIT_OPERATION);

/**
 * SMS > Send and Wait for Response. n8n builds the Human Review tool from it if it finds the value of the operation and
 * parameters named `message`, `responseType` and `approvalOptions`.
 */
export const sendAndWait: RunOperation = {
	option: {
		name: 'Send and Wait for Response',
		value: SEND_AND_WAIT_OPERATION,
		action: 'Send an SMS and wait for the response',
		description:
			'Send a question with a link to one or more phone numbers and wait for the first response. Costs money and cannot be undone.',
	},
	fields: [
		senderIdField({ show }),
		phoneField('to', 'Phone number of the approver. Separate several with commas: the first response counts.', {
			show,
		}),
		messageField({
			placeholder: 'e.g. Ship order 1042 for GHS 300?',
			description:
				'The question. The node adds a link of about 160 characters, so it usually costs two segments or more.',
			displayOptions: { show },
		}),
		{
			displayName: 'Response Type',
			name: 'responseType',
			type: 'options',
			default: 'approval',
			description: 'How an approver responds on the page that the link opens',
			options: [
				{
					name: 'Approval',
					value: 'approval',
					description: 'The page has a button to approve and, if you choose, one to decline',
				},
				{ name: 'Free Text', value: 'freeText', description: 'The page has a text field for the response' },
			],
			displayOptions: { show },
		},
		{
			displayName: 'Approval Options',
			name: 'approvalOptions',
			type: 'fixedCollection',
			placeholder: 'Add option',
			default: {},
			options: [
				{
					displayName: 'Values',
					name: 'values',
					values: [
						{
							displayName: 'Type of Approval',
							name: 'approvalType',
							type: 'options',
							default: 'double',
							options: [
								{ name: 'Approve and Disapprove', value: 'double' },
								{ name: 'Approve Only', value: 'single' },
							],
						},
						{
							displayName: 'Approve Button Label',
							name: 'approveLabel',
							type: 'string',
							default: 'Approve',
						},
						{
							displayName: 'Disapprove Button Label',
							name: 'disapproveLabel',
							type: 'string',
							default: 'Decline',
							displayOptions: { show: { approvalType: ['double'] } },
						},
					],
				},
			],
			displayOptions: { show: { ...show, responseType: ['approval'] } },
		},
		optionsField({ show }, [...smsOptions, limitWaitTimeOption, reminderOption]),
	],
	run: async (run) => await sendQuestion(run, () => prepare(run.context, run.session)),
};

function prepare(context: IExecuteFunctions, session: Session): QuestionToSend | InputError {
	const options = optionsParameter(context, 0);
	const sender = textParameter(context, 'senderId', 0);
	const approvers = approversParameter(context, session);
	if (approvers instanceof InputError) return approvers;
	const priority = priorityOption(context, 0);
	if (priority instanceof InputError) return priority;
	const till = waitTill(context, options);
	if (till instanceof InputError) return till;
	const reminder = readReminder(context, options);
	if (reminder instanceof InputError) return reminder;
	const key = sendOnceKey(context, 0);
	if (key instanceof InputError) return key;
	const longest = responseUrl(context, String(context.getWorkflowDataProxy(0).$runIndex), approvers.length - 1);
	const unreachable = unreachableLink(longest, session);
	if (unreachable) return unreachable;
	const message = withToolInput(context, messageParameter(context, 'message', 0)).trim();
	const problem = problemOf(message, messageText(message, longest, reminder?.intro));
	if (problem) return problem;
	return {
		question: { sender, message, answer: answerOf(context) },
		approvers,
		priority: priority.priority === true,
		sendOnceKey: key,
		waitTill: till,
		reminder,
	};
}

function approversParameter(context: IExecuteFunctions, session: Session): readonly string[] | InputError {
	const approvers = phonesParameter(context, 'to', 'to', 0, session);
	if (approvers instanceof InputError || approvers.length <= MOST_APPROVERS) return approvers;
	const message = `has ${approvers.length} numbers, but a question can have at most ${MOST_APPROVERS} approvers: shorten the list`;
	return new InputError('node', [{ field: 'to', message }]);
}

/**
 * Lists the input of the agent's tool in the message. n8n's default message for Human Review includes the input as an
 * object, which would read `[object Object]`.
 */
function withToolInput(context: IExecuteFunctions, message: string): string {
	const unreadable = '[object Object]';
	if (!message.includes(unreadable) || !context.getNode().type.endsWith('HitlTool')) return message;
	const input: unknown = context.evaluateExpression('{{ $tool.parameters }}', 0);
	const lines = Object.entries(Object(input) as Record<string, unknown>).map(
		([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
	);
	return message.replaceAll(unreadable, () => lines.join('\n'));
}

function problemOf(message: string, text: string): InputError | undefined {
	const reject = (reason: string) => new InputError('node', [{ field: 'message', message: reason }]);
	if (!showsSomething(message)) return reject('is empty: write the question');
	const broken = textProblem(message);
	if (broken !== undefined) return reject(broken);
	const { length } = [...text];
	if (length <= MAX_MESSAGE_CHARACTERS) return undefined;
	const excess = length - MAX_MESSAGE_CHARACTERS;
	return reject(
		`has ${length} characters with the response link, but the service accepts at most ${MAX_MESSAGE_CHARACTERS}: shorten it by ${excess}`,
	);
}

function answerOf(context: IExecuteFunctions): Question['answer'] {
	if (context.getNodeParameter('responseType', 0, 'approval') === 'freeText') return { kind: 'freeText' };
	const { values = {} } = context.getNodeParameter('approvalOptions', 0, {}) as { values?: IDataObject };
	const label = (value: unknown, fallback: string) =>
		typeof value === 'string' && value.trim() !== '' ? value : fallback;
	return {
		kind: 'approval',
		approveLabel: label(values.approveLabel, 'Approve'),
		...(values.approvalType !== 'single' && { declineLabel: label(values.disapproveLabel, 'Decline') }),
	};
}
