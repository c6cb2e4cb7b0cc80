import type { IDataObject, IExecuteFunctions, IWebhookFunctions } from 'n8n-workflow';
import { z } from 'zod/v4';

const approval = z.object({
	kind: z.literal('approval'),
	approveLabel: z.string(),
	/** Undefined if there is only one button. */
	declineLabel: z.string().optional(),
});

const question = z.object({
	/** The sender that the approvers see. */
	sender: z.string(),
	/** The text of the question without the link. */
	message: z.string(),
	answer: z.union([approval, z.object({ kind: z.literal('freeText') })]),
});

/** A question as it was when its messages were sent. */
export type Question = z.infer<typeof question>;

const row = z.record(z.string(), z.unknown()).transform((value) => value as IDataObject);

const approver = z.object({
	/** E.164. */
	to: z.string(),
	/** Whether the question arrived, or may have arrived. */
	asked: z.boolean(),
	/** The fields of the question's message. */
	row,
	/** The fields of each reminder. */
	reminders: z.array(row),
});

/** A person who may respond to a question. */
export type Approver = z.infer<typeof approver>;

const reminder = z.object({
	/** Time from one message to the next, in milliseconds. */
	everyMs: z.number(),
	/** Maximum number of reminders. */
	times: z.number(),
	/** The text before the question. */
	intro: z.string(),
});

/** When an approver is reminded, and with which words. */
export type Reminder = z.infer<typeof reminder>;

const sent = z.object({
	question,
	/** The run of the node that asked first. In a loop, nothing else distinguishes the links of the rounds. */
	run: z.string(),
	/** The run of the node that sent the newest message. */
	newestRun: z.number(),
	approvers: z.array(approver),
	/** When to continue without a response, in milliseconds since 1970. */
	endsAt: z.number(),
	reminder: reminder.optional(),
	/** How often the approvers were reminded. */
	reminders: z.number(),
	priority: z.boolean(),
	sendOnceKey: z.string().optional(),
});

/** A question that was sent, and everything that a reminder needs. */
export type SentQuestion = z.infer<typeof sent>;

/**
 * Stores a question with the execution, because its expressions may return other values by the time of the response.
 */
export function saveQuestion(context: IExecuteFunctions, kept: SentQuestion): void {
	context.getContext('node').asked = { ...kept };
}

/** The newest question of this node in the execution; undefined if there is none. */
export function earlierQuestion(context: IExecuteFunctions): SentQuestion | undefined {
	return read(context.getContext('node').asked);
}

/** The question of a waiting execution; undefined if there is none. */
export function savedQuestion(context: IWebhookFunctions): SentQuestion | undefined {
	return read(context.evaluateExpression(`{{ $node[${JSON.stringify(context.getNode().name)}].context.asked }}`));
}

function read(kept: unknown): SentQuestion | undefined {
	const parsed = sent.safeParse(kept);
	return parsed.success ? parsed.data : undefined;
}

/** Names a question within its execution, to recognize the item that comes back for a reminder. */
export function questionId({ run }: Pick<SentQuestion, 'run'>, nodeName: string): string {
	return `${nodeName}/${run}`;
}
