import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { BoundedMap } from './boundedMap';

/** Why a post is not taken. */
export interface Rejection {
	readonly status: number;
	/** In a few words, for the log and the count; never with anything of the post. */
	readonly reason: string;
	/** What the caller is told; nothing at all unless given. */
	readonly message?: string;
}

interface Count {
	readonly total: number;
	readonly sinceLine: number;
	readonly lineAt: number;
}

const DAY_MS = 24 * 3_600_000;
const LINE_EVERY_MS = 10_000;

/** By trigger and reason. n8n lets a webhook keep no count of its own that would not cost a database write each. */
const counts = new BoundedMap<Count>(1_000);

/**
 * Refuses a post: answers it, starts nothing, and counts it. n8n's log gets a line at the first and then at most one
 * in ten seconds, with the counts: a flood of forged posts shall not become a flood of lines.
 */
export function reject(context: IWebhookFunctions, rejection: Rejection): IWebhookResponseData {
	const { status, reason, message } = rejection;
	countRejection(context, rejection);
	const response = context.getResponseObject().status(status);
	if (message === undefined) response.end();
	else response.json({ received: false, message, reason });
	return { noWebhookResponse: true };
}

/** Counts what is not acted on, and writes it to n8n's log. */
export function countRejection(
	context: IWebhookFunctions,
	{ status, reason }: Pick<Rejection, 'status' | 'reason'>,
): void {
	const { id, name } = context.getNode();
	const workflowId = context.getWorkflow().id;
	const key = `${workflowId}/${id}/${reason}`;
	const now = Date.now();
	const known = counts.get(key, now) ?? { total: 0, sinceLine: 0, lineAt: 0 };
	const total = known.total + 1;
	const sinceLine = known.sinceLine + 1;
	const due = now - known.lineAt >= LINE_EVERY_MS;
	counts.set(key, { total, sinceLine: due ? 0 : sinceLine, lineAt: due ? now : known.lineAt }, now + DAY_MS);
	if (!due) return;
	const address = context.getRequestObject().ip ?? 'an unknown address';
	context.logger.warn(
		`Messaging Service Trigger "${name}": not acted on: ${reason} (from ${address}; ${sinceLine} since the last line, ${total} in all)`,
		{ workflowId, nodeName: name, reason, status, count: total },
	);
}
