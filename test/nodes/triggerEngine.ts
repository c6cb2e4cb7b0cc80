import './environment';
import { HookContext, WebhookContext } from 'n8n-core';
import type {
	INodeParameters,
	INodeType,
	IWebhookResponseData,
	IWorkflowExecuteAdditionalData,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { loadPackage, type CredentialData } from './loadedPackage';

/** The webhook trigger in n8n's own contexts, loaded from dist/ as n8n loads it. */
export interface TriggerEngine {
	/** Calls the trigger's webhook; `answer` is what the caller got from the node itself. */
	post(request: WebhookPost): Promise<{ result: IWebhookResponseData; answer: { status?: number; body?: unknown } }>;
	/** Runs the trigger's check at activation. */
	activateTrigger(): Promise<boolean>;
}

/** One call of the trigger's webhook, its body already parsed as n8n's server does. */
export interface WebhookPost {
	readonly secret: string;
	readonly contentType: string;
	readonly body: unknown;
	readonly mode?: WorkflowExecuteMode;
}

/**
 * Loads the package and sets up the trigger.
 * @param parameters of the trigger node
 */
export async function startTriggerEngine(
	credentials: CredentialData,
	parameters: INodeParameters = { triggerOn: ['inboundSms'] },
): Promise<TriggerEngine> {
	const { nodeTypes, node, workflowOf, additionalData, typeOf } = await loadPackage(credentials);
	const trigger = () => node('Trigger', typeOf('messagingServiceTrigger'), parameters);

	return {
		async post({ secret, contentType, body, mode = 'webhook' }) {
			const listening = trigger();
			const answer: { status?: number; body?: unknown } = {};
			const httpResponse = {
				status(status: number) {
					answer.status = status;
					return this;
				},
				json(sent: unknown) {
					answer.body = sent;
					return this;
				},
				end() {
					return this;
				},
			};
			const httpRequest = { headers: { 'content-type': contentType }, body, params: { secret }, query: {} };
			const nodeType = nodeTypes.getByNameAndVersion(listening.type, 1);
			const context = new WebhookContext(
				workflowOf([listening]),
				listening,
				Object.assign(additionalData(), { httpRequest, httpResponse }),
				mode,
				webhookData(nodeType),
				[],
				null,
			);
			if (!nodeType.webhook) throw new Error('The trigger has no webhook');
			const result = await nodeType.webhook.call(context);
			return { result, answer };
		},

		async activateTrigger() {
			const listening = trigger();
			const nodeType = nodeTypes.getByNameAndVersion(listening.type, 1);
			const context = new HookContext(
				workflowOf([listening]),
				listening,
				additionalData(),
				'trigger',
				'activate',
				webhookData(nodeType),
			);
			const check = nodeType.webhookMethods?.default?.checkExists;
			if (!check) throw new Error('The trigger has no checkExists');
			return await check.call(context);
		},
	};
}

function webhookData(nodeType: INodeType) {
	const webhookDescription = nodeType.description.webhooks?.[0];
	if (!webhookDescription) throw new Error('The trigger has no webhook description');
	return {
		node: 'Trigger',
		path: 'w1/Trigger/:secret',
		webhookDescription,
		workflowId: 'w1',
		httpMethod: 'POST' as const,
		workflowExecuteAdditionalData: undefined as unknown as IWorkflowExecuteAdditionalData,
	};
}
