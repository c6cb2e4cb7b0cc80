import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { BoundedMap } from '../../memory/boundedMap';

/** Why a request is rejected. */
export interface Rejection {
	readonly status: number;
	/** A short reason for the log and the count, without data of the request. */
	readonly reason: string;
	/** The message for the caller. Without it, the response is empty. */
	readonly message?: string;
}

interface Count {
	readonly total: number;
	readonly sinceLine: number;
	readonly lineAt: number;
}

const DAY_MS = 24 * 3_600_000;
const LINE_EVERY_MS = 10_000;

/** Counts by trigger and reason. Stored in n8n, each would cost a database write. */
const counts = new BoundedMap<Count>({ maxSize: 1_000 });

/**
 * Rejects a request and counts it. n8n's log gets one line at first and then at most one in ten seconds, so that an
 * attack cannot flood the log.
 */
export function reject(context: IWebhookFunctions, rejection: Rejection): IWebhookResponseData {
	const { status, reason, message } = rejection;
	countRejection(context, rejection);
	const response = context.getResponseObject().status(status);
	if (message === undefined) response.end();
	else response.json({ received: false, message, reason });
	return { noWebhookResponse: true };
}

/** Counts a request that starts nothing, and writes the count to n8n's log. */
export function countRejection(
	context: IWebhookFunctions,
	{ status, reason }: Pick<Rejection, 'status' | 'reason'>,
): void {
	const { id, name } = context.getNode();
	const workflowId = context.getWorkflow().id;
	const key = `${workflowId}/${id}/${reason}`;
	const now = Date.now();
	const known = counts.get(key) ?? { total: 0, sinceLine: 0, lineAt: 0 };
	const total = known.total + 1;
	const sinceLine = known.sinceLine + 1;
	const due = now - known.lineAt >= LINE_EVERY_MS;
	counts.set(key, { total, sinceLine: due ? 0 : sinceLine, lineAt: due ? now : known.lineAt }, DAY_MS);
	if (!due) return;
	const address = context.getRequestObject().ip ?? 'an unknown address';
	context.logger.warn(
		`Messaging Service Trigger "${name}" started nothing: ${reason} (from ${address}, ${sinceLine} since the last line, ${total} in total)`,
		{ workflowId, nodeName: name, reason, status, count: total },
	);
}
