import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { forgetUnlessAccepted } from './acceptance';
import { toOutputs } from './outputs';
import type { WebhookBody } from './parseBody';
import type { TriggerSettings } from './triggerSettings';

/** A post on its way through the trigger. */
export interface WebhookContext {
	readonly context: IWebhookFunctions;
	readonly settings: TriggerSettings;
	readonly post: WebhookBody;
	/** Names the trigger in what the process remembers. */
	readonly trigger: string;
	/** Whether somebody listens in the editor: then nothing is held back as known. */
	readonly manual: boolean;
}

/** Writes what went wrong to n8n's log; never anything of the post. */
export function logProblem(context: IWebhookFunctions, what: string): void {
	context.logger.warn(`Messaging Service Trigger "${context.getNode().name}": ${what}`, {
		workflowId: context.getWorkflow().id,
	});
}

/** What the process remembers of an event, and how to forget it. */
export interface RememberedEvent {
	/** {@link fingerprint} of the event. */
	readonly key: string;
	readonly forget: () => void;
}

/**
 * Starts the workflow; n8n answers the caller once it has begun.
 * @param remembered is forgotten if n8n does not accept the event
 */
export function startWorkflow(
	webhook: WebhookContext,
	item: IDataObject,
	remembered?: RememberedEvent,
): IWebhookResponseData {
	if (remembered) forgetUnlessAccepted(webhook.context, remembered.key, remembered.forget);
	return { webhookResponse: { received: true }, workflowData: workflowData(webhook, item) };
}

/** Starts the workflow for a caller that has its answer. */
export function startAfterResponse(webhook: WebhookContext, item: IDataObject): IWebhookResponseData {
	return { noWebhookResponse: true, workflowData: workflowData(webhook, item) };
}

function workflowData({ post, settings }: WebhookContext, item: IDataObject) {
	return toOutputs({ ...item, received_at: new Date().toISOString(), body: post.body }, settings);
}

/** Answers well and starts nothing: the sender need not post it again. */
export function ignored(reason: string): IWebhookResponseData {
	return { webhookResponse: { received: true, started: false, reason } };
}

/** The end for a caller that has its answer, where nothing starts. */
export const responded: IWebhookResponseData = { noWebhookResponse: true };

/** Answers the caller before the work is done. */
export function respondEarly(context: IWebhookFunctions): void {
	context.getResponseObject().status(200).json({ received: true });
}
