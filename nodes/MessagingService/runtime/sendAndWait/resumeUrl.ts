import type { IExecuteFunctions } from 'n8n-workflow';
import { InputError } from '../../../../shared/index';
import type { Session } from '../operation';
import { isOutOfReach } from './publicAddress';

/** The link to a question's page. */
export interface ResumeUrl {
	/** Signed by n8n for this execution and node. */
	readonly url: string;
	/** Distinguishes the question from earlier ones of the same node and execution. */
	readonly run: string;
}

/** Maximum length of an address in an error, in UTF-16 units. */
const LONGEST_SHOWN = 100;

/**
 * Makes the response link for the current run of the node. n8n builds it from its own public address. With a sandbox
 * key any address is fine, because the simulated phones are pages on the same machine.
 * @returns an error if no phone could open the link, because the message would be charged for nothing
 */
export function resumeUrl(context: IExecuteFunctions, { sandbox }: Session): ResumeUrl | InputError {
	const run = String(context.getWorkflowDataProxy(0).$runIndex);
	const url = context.getSignedResumeUrl({ run });
	const { hostname, origin } = new URL(url);
	if (sandbox || !isOutOfReach(hostname)) return { url, run };
	const message = `starts with ${origin.slice(0, LONGEST_SHOWN)}, which the recipient's phone cannot open. Set n8n's WEBHOOK_URL to its public address, e.g. https://n8n.example.com/ (without it, n8n uses N8N_PROTOCOL, N8N_HOST and N8N_PORT)`;
	return new InputError('node', [{ field: 'The response link', message }]);
}
