import type { IDataObject, INodeExecutionData, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { forgetUnlessAccepted, type RememberedEvent } from './dedupe';
import type { TriggerSettings } from './triggerSettings';

/** A webhook that the trigger is handling. */
export interface WebhookContext {
	readonly context: IWebhookFunctions;
	readonly settings: TriggerSettings;
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

/**
 * Starts the workflow once with all outputs. n8n responds to the caller after it has started.
 * @param remembered forgotten if n8n does not accept the events
 */
export function startWorkflow(
	{ context, settings }: WebhookContext,
	outputs: readonly IDataObject[],
	remembered: readonly RememberedEvent[],
): IWebhookResponseData {
	forgetUnlessAccepted(context, remembered);
	return { webhookResponse: { received: true }, workflowData: toOutputs(outputs, settings) };
}

/** Starts the workflow after the caller has its response. */
export function startAfterResponse(
	{ settings }: WebhookContext,
	outputs: readonly IDataObject[],
): IWebhookResponseData {
	return { noWebhookResponse: true, workflowData: toOutputs(outputs, settings) };
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

/** Puts each item on the output of its keyword. The node's expression for `outputs` has the same order. */
function toOutputs(
	items: readonly IDataObject[],
	{ routeByKeyword, customKeywords }: Pick<TriggerSettings, 'routeByKeyword' | 'customKeywords'>,
): INodeExecutionData[][] {
	if (!routeByKeyword) return [items.map((json) => ({ json }))];
	const keywords = ['stop', 'start', 'help', ...customKeywords];
	const outputs: INodeExecutionData[][] = [...keywords, 'other'].map(() => []);
	for (const json of items) {
		const found = keywords.findIndex((word) => word === json.keyword);
		outputs.at(found)?.push({ json });
	}
	return outputs;
}
