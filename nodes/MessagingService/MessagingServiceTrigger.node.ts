import type {
	IHookFunctions,
	INodeType,
	INodeTypeDescription,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';
import { messagingServiceApiTest, messagingServiceWebhookApiTest } from './runtime/credentialTests';
import { checkActivation } from './runtime/webhook/activation';
import { receiveWebhook } from './runtime/webhook/receive';

/** The webhook trigger: starts a workflow for texts, receipts and alerts that are posted to its secret URL. */
export class MessagingServiceTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Messaging Service Trigger',
		name: 'messagingServiceTrigger',
		icon: { light: 'file:messagingService.svg', dark: 'file:messagingService.dark.svg' },
		group: ['trigger'],
		version: [1],
		subtitle:
			'={{ "on " + ($parameter.triggerOn ?? []).map((name) => ({ inboundSms: "inbound SMS", inboundWhatsapp: "inbound WhatsApp", deliveryReceipt: "delivery receipt", lowBalance: "low balance" })[name]).join(", ") }}',
		description: 'Starts the workflow when somebody texts you, a message is delivered or the wallet runs low',
		eventTriggerDescription: 'Waiting for a post: text your number, or send a message whose receipt comes here',
		activationMessage: 'What is posted to the production URL now starts this workflow.',
		defaults: { name: 'Messaging Service Trigger' },
		inputs: [],
		outputs:
			"={{ $parameter.routeByKeyword ? ['STOP', 'START', 'HELP', ...String($parameter.customKeywords ?? '').split(',').map((word) => word.trim()).filter((word) => word !== ''), 'Other'].map((displayName) => ({ type: 'main', displayName })) : ['main'] }}",
		credentials: [
			{ name: 'messagingServiceWebhookApi', required: true, testedBy: 'messagingServiceWebhookApiTest' },
			{
				name: 'messagingServiceApi',
				required: true,
				testedBy: 'messagingServiceApiTest',
				// With the bare name n8n's editor takes the field for a choice of authentication, and does not show it.
				displayOptions: { show: { '/beforeStarting': ['confirm', 'forwardInboundSms'] } },
			},
		],
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
					'Open <b>Webhook URLs</b> above, copy the Production URL and put the Secret of your credential in place of <b>:secret</b>. Paste the result where your SMS gateway or number provider posts <b>inbound texts</b>, and for <b>receipts and low balance</b> as the callback URL in the dashboard of the service. Then publish (activate) the workflow.',
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
						name: 'Delivery Receipt',
						value: 'deliveryReceipt',
						description: 'A message was sent, delivered or failed',
					},
					{
						name: 'Inbound SMS',
						value: 'inboundSms',
						description: 'Somebody texted one of your numbers or sender IDs',
					},
					{
						name: 'Inbound WhatsApp',
						value: 'inboundWhatsapp',
						description: 'Somebody wrote to your WhatsApp number',
					},
					{
						name: 'Low Balance',
						value: 'lowBalance',
						description: 'The wallet fell below the threshold that is set in the dashboard',
					},
				],
				default: ['inboundSms'],
			},
			{
				displayName: 'Before Starting',
				name: 'beforeStarting',
				type: 'multiOptions',
				options: [
					{
						name: 'Confirm with the Service',
						value: 'confirm',
						description:
							'Before a receipt or low balance starts the workflow, ask the service for the message or the balance, and go by what it says',
					},
					{
						name: 'Forward Inbound SMS',
						value: 'forwardInboundSms',
						description:
							"Forward each inbound SMS to the service's own webhook too, so that its inbox and its list of people who texted STOP go on working",
					},
				],
				default: [],
				description: 'What to do with the service for each event, besides starting the workflow',
			},
			{
				displayName: 'Custom Keywords',
				name: 'customKeywords',
				type: 'string',
				default: '',
				placeholder: 'e.g. HOURS, PRICE LIST',
				displayOptions: { show: { triggerOn: ['inboundSms', 'inboundWhatsapp'] } },
				description:
					'Words of your own, separated by commas, that are recognised beside STOP, START and HELP when they are the whole text. The field keyword of the item tells which one it is.',
			},
			{
				displayName: 'Separate Outputs by Keyword',
				name: 'routeByKeyword',
				type: 'boolean',
				default: false,
				displayOptions: { show: { triggerOn: ['inboundSms', 'inboundWhatsapp'] } },
				description: 'Whether STOP, START, HELP, each custom keyword and everything else have outputs of their own',
			},
			{
				displayName: 'Filters',
				name: 'filters',
				type: 'collection',
				placeholder: 'Add Filter',
				default: {},
				description: 'Start the workflow only for what passes all of these',
				options: [
					{
						displayName: 'Keyword',
						name: 'keywords',
						type: 'multiOptions',
						options: [
							{ name: 'Custom Keyword', value: 'custom' },
							{ name: 'HELP', value: 'help' },
							{ name: 'None', value: 'none' },
							{ name: 'START', value: 'start' },
							{ name: 'STOP', value: 'stop' },
						],
						default: [],
						description: 'Which inbound texts start the workflow; None stands for those that are no keyword',
					},
					{
						displayName: 'Recipient',
						name: 'recipient',
						type: 'string',
						default: '',
						placeholder: 'e.g. KOFISHOP, 1234',
						description:
							'Your numbers or sender IDs, separated by commas; for a receipt the number that the message went to',
					},
					{
						displayName: 'Sender',
						name: 'sender',
						type: 'string',
						default: '',
						placeholder: 'e.g. +233201234567',
						description: 'Numbers with country code, separated by commas, whose inbound texts start the workflow',
					},
					{
						displayName: 'Status',
						name: 'statuses',
						type: 'multiOptions',
						options: [
							{ name: 'Delivered', value: 'delivered' },
							{ name: 'Failed', value: 'failed' },
							{ name: 'Queued', value: 'queued' },
							{ name: 'Sent', value: 'sent' },
							{ name: 'Submitted', value: 'submitted' },
						],
						default: [],
						description: 'Which delivery receipts start the workflow',
					},
				],
			},
			{
				displayName: 'Options',
				name: 'options',
				type: 'collection',
				placeholder: 'Add Option',
				default: {},
				options: [
					{
						displayName: 'Allowed IP Addresses',
						name: 'allowedIps',
						type: 'string',
						default: '',
						placeholder: 'e.g. 203.0.113.7, 198.51.100.0/24',
						description:
							'Take posts only from these addresses. Compared is the address of the connection; behind a proxy it is the one that the proxy names, if n8n was told of it (N8N_PROXY_HOPS).',
					},
					{
						displayName: 'Deduplication Window (Seconds)',
						name: 'deduplicationWindowSeconds',
						type: 'number',
						typeOptions: { minValue: 0 },
						default: 60,
						description:
							'How long the same words from the same number count as one text that was posted again; 0 to start the workflow for each. Texts that carry a message ID are known by it for a day.',
					},
					{
						displayName: 'Forward URL',
						name: 'forwardUrl',
						type: 'string',
						default: '',
						placeholder: 'e.g. https://your-service.example/webhooks/inbound/sms',
						description:
							'Where Forward Inbound SMS sends messages. If empty, it follows from the Base URL of the Messaging Service API credential.',
					},
					{
						displayName: 'Max Starts per Sender per Hour',
						name: 'maxStartsPerSenderPerHour',
						type: 'number',
						typeOptions: { minValue: 0 },
						default: 60,
						description:
							'Most texts of one number that start the workflow within an hour, so that two machines cannot text each other for ever; 0 for no limit. Messages beyond it are still forwarded.',
					},
					{
						displayName: 'Unrecognized Requests',
						name: 'unrecognizedRequests',
						type: 'options',
						options: [
							{
								name: 'Reject',
								value: 'reject',
								description: 'Answer 422 with what is missing',
							},
							{
								name: 'Start the Workflow',
								value: 'start',
								description: 'Make an item with event "unrecognized" and the body of the request',
							},
						],
						default: 'reject',
						description: 'What to do with a request that is none of the known events',
					},
				],
			},
		],
	};

	methods = {
		credentialTest: { messagingServiceApiTest, messagingServiceWebhookApiTest },
	};

	webhookMethods = {
		default: {
			async checkExists(this: IHookFunctions): Promise<boolean> {
				await checkActivation(this);
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
		return await receiveWebhook(this);
	}
}
