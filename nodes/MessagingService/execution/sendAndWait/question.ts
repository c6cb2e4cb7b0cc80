import type { IDataObject, IExecuteFunctions, IWebhookFunctions } from 'n8n-workflow';
import { z } from 'zod/v4';

const approval = z.object({
	kind: z.literal('approval'),
	approveLabel: z.string(),
	/** Undefined if there is only one button. */
	declineLabel: z.string().optional(),
});

const question = z.object({
	/** The sender that the recipient sees. */
	sender: z.string(),
	/** The text of the question without the link. */
	message: z.string(),
	answer: z.union([approval, z.object({ kind: z.literal('freeText') })]),
});

/** A question as it was when its message was sent. */
export type Question = z.infer<typeof question>;

const sent = z.object({
	question,
	/** The run of the node. In a loop, nothing else distinguishes the links of the rounds. */
	run: z.string(),
	row: z.record(z.string(), z.unknown()),
});

/** A question that was sent. */
export interface SentQuestion {
	readonly question: Question;
	readonly run: string;
	/** The output, as far as it is known before the response. */
	readonly row: IDataObject;
}

/**
 * Stores a question with the execution, because its expressions may return other values by the time of the response.
 */
export function saveQuestion(context: IExecuteFunctions, kept: SentQuestion): void {
	context.getContext('node').asked = { ...kept };
}

/** The question of a waiting execution; undefined if there is none. */
export function savedQuestion(context: IWebhookFunctions): SentQuestion | undefined {
	const kept: unknown = context.evaluateExpression(
		`{{ $node[${JSON.stringify(context.getNode().name)}].context.asked }}`,
	);
	const read = sent.safeParse(kept);
	return read.success ? { ...read.data, row: read.data.row as IDataObject } : undefined;
}
