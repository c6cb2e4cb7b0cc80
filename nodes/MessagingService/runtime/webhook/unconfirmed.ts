import type { IWebhookResponseData } from 'n8n-workflow';
import type { Failed } from '../triggerClient';
import { logProblem, startAfterResponse, type WebhookContext } from './webhookContext';
import type { EventItem } from './eventItem';

/** Starts the workflow with an event that could not be confirmed. The item lacks the keys that a workflow acts on. */
export function unconfirmed(
	webhook: WebhookContext,
	item: EventItem,
	{ problem, loggable }: Failed,
): IWebhookResponseData {
	logProblem(webhook.context, `the service could not be asked about a ${item.event}: ${loggable}`);
	return startAfterResponse(webhook, { event: 'confirmation.failed', error: problem, payload: { ...item } });
}
