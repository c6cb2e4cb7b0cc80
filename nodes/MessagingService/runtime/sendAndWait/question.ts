import type { IDataObject, IExecuteFunctions, IWebhookFunctions } from 'n8n-workflow';
import { z } from 'zod/v4';

const approval = z.object({
	kind: z.literal('approval'),
	approveLabel: z.string(),
	/** Undefined where there is only one answer. */
	declineLabel: z.string().optional(),
});

const question = z.object({
	/** Whom the recipient knows it from. */
	sender: z.string(),
	/** The question as it was sent, without the link. */
	message: z.string(),
	answer: z.union([approval, z.object({ kind: z.literal('freeText') })]),
});

/** What somebody is asked, as it was when the text was sent. */
export type Question = z.infer<typeof question>;

const sent = z.object({
	question,
	/** Which run of the node asked: in a loop the links of all rounds differ in nothing else. */
	run: z.string(),
	row: z.record(z.string(), z.unknown()),
});

/** A question that was sent. */
export interface SentQuestion {
	readonly question: Question;
	readonly run: string;
	/** The output as far as it is known before the answer. */
	readonly row: IDataObject;
}

/** Keeps a question with the execution: read anew, its expressions may give something else by the time of the answer. */
export function saveQuestion(context: IExecuteFunctions, kept: SentQuestion): void {
	context.getContext('node').asked = { ...kept };
}

/** The question that the execution waits for an answer to; undefined where there is none. */
export function savedQuestion(context: IWebhookFunctions): SentQuestion | undefined {
	const kept: unknown = context.evaluateExpression(
		`{{ $node[${JSON.stringify(context.getNode().name)}].context.asked }}`,
	);
	const read = sent.safeParse(kept);
	return read.success ? { ...read.data, row: read.data.row as IDataObject } : undefined;
}
