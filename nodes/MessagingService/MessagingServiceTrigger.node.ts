import type {
	IHookFunctions,
	INodeType,
	INodeTypeDescription,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';
import { NodeConnectionTypes, NodeOperationError } from 'n8n-workflow';
import { messagingServiceWebhookApiTest } from './runtime/credentialTests';
import { receiveInboundSms, WEBHOOK_CREDENTIAL, type WebhookSecrets } from './runtime/receive';
import { secretsIssue } from './runtime/secret';

/** The webhook trigger: starts a workflow for every inbound SMS that is posted to its secret URL. */
export class MessagingServiceTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Messaging Service Trigger',
		name: 'messagingServiceTrigger',
		icon: { light: 'file:messagingService.svg', dark: 'file:messagingService.dark.svg' },
		group: ['trigger'],
		version: [1],
		subtitle: 'on inbound SMS',
		description: 'Starts the workflow when somebody texts your number or sender ID',
		eventTriggerDescription: 'Waiting for a text: send one to your number',
		activationMessage: 'Texts that are posted to the production URL now start this workflow.',
		defaults: { name: 'Messaging Service Trigger' },
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'messagingServiceWebhookApi', required: true, testedBy: 'messagingServiceWebhookApiTest' }],
		webhooks: [
			{
				name: 'default',
				httpMethod: 'POST',
				responseMode: 'onReceived',
				// Without it n8n answers the text "firstEntryJson" instead of what webhook() returns.
				responseData: '',
				// The workflow and node keep two workflows with this trigger apart; a fixed path registers only once.
				isFullPath: true,
				path: '={{ $workflow.id }}/{{ $nodeId }}/:secret',
			},
		],
		properties: [
			{
				displayName:
					'Open <b>Webhook URLs</b> above and copy the Production URL, put the Secret of your credential in place of <b>:secret</b>, and paste the result where your SMS gateway or number provider posts inbound texts. Then publish (activate) the workflow.',
				name: 'urlNotice',
				type: 'notice',
				default: '',
			},
			{
				displayName: 'Trigger On',
				name: 'triggerOn',
				type: 'multiOptions',
				required: true,
				options: [
					{
						name: 'Inbound SMS',
						value: 'inboundSms',
						description: 'Somebody texted one of your numbers or sender IDs',
					},
				],
				default: ['inboundSms'],
			},
		],
	};

	methods = {
		credentialTest: { messagingServiceWebhookApiTest },
	};

	webhookMethods = {
		default: {
			// The service has no call that registers a webhook: the URL is pasted by hand. Activation checks the secret.
			async checkExists(this: IHookFunctions): Promise<boolean> {
				const { secret, previousSecret } = await this.getCredentials<WebhookSecrets>(WEBHOOK_CREDENTIAL);
				const issue = secretsIssue(secret, previousSecret);
				if (issue) throw new NodeOperationError(this.getNode(), issue);
				return true;
			},
			async create(this: IHookFunctions): Promise<boolean> {
				return true;
			},
			async delete(this: IHookFunctions): Promise<boolean> {
				return true;
			},
		},
	};

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return await receiveInboundSms(this);
	}
}
