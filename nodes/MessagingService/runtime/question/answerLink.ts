import type { IExecuteFunctions } from 'n8n-workflow';
import { InputError } from '../../../../shared';
import type { Session } from '../operation';

/** The link that somebody answers a question by. */
export interface AnswerLink {
	/** Signed by n8n for this execution and node. */
	readonly url: string;
	/** What tells the question from those that the node asked before in the same execution. */
	readonly run: string;
}

/**
 * Makes the link to answer a question by, for the present run of the node.
 * @returns an error where no phone could open it; the text would be paid for nothing
 */
export function answerLink(context: IExecuteFunctions, { sandbox }: Session): AnswerLink | InputError {
	const run = String(context.getWorkflowDataProxy(0).$runIndex);
	const url = context.getSignedResumeUrl({ run });
	const { hostname, origin } = new URL(url);
	const local = /^(localhost|.*\.localhost|127(\.\d+){3}|0\.0\.0\.0|\[::1?\])$/.test(hostname);
	if (!local || sandbox) return { url, run };
	const message = `begins with ${origin}, which the recipient's phone cannot open: set WEBHOOK_URL of n8n to its public address`;
	return new InputError('node', [{ field: 'The link to answer', message }]);
}
