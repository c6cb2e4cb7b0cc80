import type { IExecuteFunctions } from 'n8n-workflow';
import { InputError } from '../../../../shared/index';
import type { Session } from '../operation';
import { isOutOfReach } from './publicAddress';

/** The link that somebody answers a question by. */
export interface ResumeUrl {
	/** Signed by n8n for this execution and node. */
	readonly url: string;
	/** What tells the question from those that the node asked before in the same execution. */
	readonly run: string;
}

/** How much of an address an error repeats, in UTF-16 units. */
const LONGEST_SHOWN = 100;

/**
 * Makes the link to answer a question by, for the present run of the node. n8n builds it from its own public address.
 * The sandbox's phones are pages on the same machine, so that its keys may send a link to any address.
 * @returns an error if no phone could open it; the message would be paid for nothing
 */
export function resumeUrl(context: IExecuteFunctions, { sandbox }: Session): ResumeUrl | InputError {
	const run = String(context.getWorkflowDataProxy(0).$runIndex);
	const url = context.getSignedResumeUrl({ run });
	const { hostname, origin } = new URL(url);
	if (sandbox || !isOutOfReach(hostname)) return { url, run };
	const message = `begins with ${origin.slice(0, LONGEST_SHOWN)}, which the recipient's phone cannot open: set WEBHOOK_URL of n8n to its public address, e.g. https://n8n.example.com/ (without it, n8n builds the address from N8N_PROTOCOL, N8N_HOST and N8N_PORT)`;
	return new InputError('node', [{ field: 'The link to answer', message }]);
}
