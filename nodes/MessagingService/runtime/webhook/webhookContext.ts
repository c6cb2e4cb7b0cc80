import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { forgetUnlessAccepted } from './acceptance';
import { toOutputs } from './outputs';
import type { WebhookBody } from './parseBody';
import type { TriggerSettings } from './triggerSettings';

/** A webhook that the trigger is handling. */
export interface WebhookContext {
	readonly context: IWebhookFunctions;
	readonly settings: TriggerSettings;
	readonly request: WebhookBody;
	/** Identifies the trigger in the memory of the process. */
	readonly trigger: string;
	/** Whether a user listens in the editor. Then duplicates start the workflow too. */
	readonly manual: boolean;
}

/** Writes a warning to n8n's log, without data of the request. */
export function logProblem(context: IWebhookFunctions, what: string): void {
	context.logger.warn(`Messaging Service Trigger "${context.getNode().name}": ${what}`, {
		workflowId: context.getWorkflow().id,
	});
}

/** An event in the memory of the process. */
export interface RememberedEvent {
	/** {@link fingerprint} of the event. */
	readonly key: string;
	readonly forget: () => void;
}

/**
 * Starts the workflow. n8n responds to the caller after it has started.
 * @param remembered forgotten if n8n does not accept the event
 */
export function startWorkflow(
	webhook: WebhookContext,
	item: IDataObject,
	remembered?: RememberedEvent,
): IWebhookResponseData {
	if (remembered) forgetUnlessAccepted(webhook.context, remembered.key, remembered.forget);
	return { webhookResponse: { received: true }, workflowData: workflowData(webhook, item) };
}

/** Starts the workflow after the caller has its response. */
export function startAfterResponse(webhook: WebhookContext, item: IDataObject): IWebhookResponseData {
	return { noWebhookResponse: true, workflowData: workflowData(webhook, item) };
}

function workflowData({ request, settings }: WebhookContext, item: IDataObject) {
	return toOutputs({ ...item, received_at: new Date().toISOString(), body: request.body }, settings);
}

/** Responds 200 and starts nothing, so that the sender does not try again. */
export function ignored(reason: string): IWebhookResponseData {
	return { webhookResponse: { received: true, started: false, reason } };
}

/** The result if the caller has its response and nothing starts. */
export const responded: IWebhookResponseData = { noWebhookResponse: true };

/** Responds to the caller before the work is done. */
export function respondEarly(context: IWebhookFunctions): void {
	context.getResponseObject().status(200).json({ received: true });
}
