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

/** The webhook trigger: starts a workflow for inbound messages, delivery receipts and low-balance alerts. */
export class MessagingServiceTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Messaging Service Trigger',
		name: 'messagingServiceTrigger',
		icon: { light: 'file:messagingService.svg', dark: 'file:messagingService.dark.svg' },
		group: ['trigger'],
		version: [1],
		subtitle:
			'={{ "on " + ($parameter.triggerOn ?? []).map((name) => ({ inboundSms: "inbound SMS", inboundWhatsapp: "inbound WhatsApp", deliveryReceipt: "delivery receipt", lowBalance: "low balance" })[name]).join(", ") }}',
		description: 'Starts the workflow on an inbound message, a delivery receipt or a low-balance alert',
		eventTriggerDescription:
			'Waiting for an event: send an SMS to your number, or send a message to get its delivery receipt',
		activationMessage: 'Events sent to the production URL now start this workflow.',
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
				// With the bare name, n8n's editor treats the field as a choice of authentication and hides it.
				displayOptions: { show: { '/beforeStarting': ['confirm', 'forwardInboundSms'] } },
			},
		],
		webhooks: [
			{
				name: 'default',
				httpMethod: 'POST',
				responseMode: 'onReceived',
				// Without it, n8n responds with the text "firstEntryJson" instead of the result of webhook().
				responseData: '',
				// The IDs give each trigger a path of its own, because n8n registers a path only once.
				isFullPath: true,
				path: '={{ $workflow.id }}/{{ $nodeId }}/:secret',
			},
		],
		properties: [
			{
				displayName:
					'Open <b>Webhook URLs</b> above and copy the Production URL. Replace <b>:secret</b> with the Secret of your credential. For <b>inbound messages</b>, enter the result at your SMS gateway or number provider. For <b>receipts and low balance</b>, enter it as the callback URL in the dashboard of the service. Then publish (activate) the workflow.',
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
						description: 'A message to one of your numbers or sender IDs arrived',
					},
					{
						name: 'Inbound WhatsApp',
						value: 'inboundWhatsapp',
						description: 'A message to your WhatsApp number arrived',
					},
					{
						name: 'Low Balance',
						value: 'lowBalance',
						description: 'The balance dropped below the threshold set in the dashboard of the service',
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
							'Before a receipt or alert starts the workflow, ask the service for the message or balance and use its data',
					},
					{
						name: 'Forward Inbound SMS',
						value: 'forwardInboundSms',
						description:
							'Also forward each inbound SMS to the service, so that its inbox and opt-out list stay complete',
					},
				],
				default: [],
				description: 'Actions to take before starting the workflow',
			},
			{
				displayName: 'Custom Keywords',
				name: 'customKeywords',
				type: 'string',
				default: '',
				placeholder: 'e.g. HOURS, PRICE LIST',
				displayOptions: { show: { triggerOn: ['inboundSms', 'inboundWhatsapp'] } },
				description: 'Extra keywords, separated by commas. A message matches if it consists of the keyword alone.',
			},
			{
				displayName: 'Separate Outputs by Keyword',
				name: 'routeByKeyword',
				type: 'boolean',
				default: false,
				displayOptions: { show: { triggerOn: ['inboundSms', 'inboundWhatsapp'] } },
				description:
					'Whether to have one output each for STOP, START, HELP and every custom keyword, and one for all others',
			},
			{
				displayName: 'Filters',
				name: 'filters',
				type: 'collection',
				placeholder: 'Add Filter',
				default: {},
				description: 'Start the workflow only for events that pass all filters. Low-balance alerts are not filtered.',
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
						description: "Keywords that start the workflow. Choose None for messages that aren't a keyword.",
					},
					{
						displayName: 'Recipient',
						name: 'recipient',
						type: 'string',
						default: '',
						placeholder: 'e.g. KOFISHOP, 1234',
						description:
							'Your numbers or sender IDs, separated by commas. For a receipt, the number that the message went to.',
					},
					{
						displayName: 'Sender',
						name: 'sender',
						type: 'string',
						default: '',
						placeholder: 'e.g. +233201234567',
						description: 'Numbers with country code whose messages start the workflow, separated by commas',
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
						description: 'Statuses of the delivery receipts that start the workflow',
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
							'Accept requests only from these addresses (none if empty). Behind a proxy, set N8N_PROXY_HOPS to see the real address.',
					},
					{
						displayName: 'Deduplication Window (Seconds)',
						name: 'deduplicationWindowSeconds',
						type: 'number',
						typeOptions: { minValue: 0 },
						default: 60,
						description:
							'How long identical messages without an ID, from one number, count as duplicates. 0 turns this off.',
					},
					{
						displayName: 'Forward URL',
						name: 'forwardUrl',
						type: 'string',
						default: '',
						placeholder: 'e.g. https://your-service.example/webhooks/inbound/sms',
						description:
							"The URL that Forward Inbound SMS sends messages to. If empty, it is derived from the credential's Base URL.",
					},
					{
						displayName: 'Max Starts per Sender per Hour',
						name: 'maxStartsPerSenderPerHour',
						type: 'number',
						typeOptions: { minValue: 0 },
						default: 60,
						description:
							'Maximum workflow starts per sender per hour, to stop auto-reply loops. 0 means no limit. Extra messages are still forwarded.',
					},
					{
						displayName: 'Unrecognized Requests',
						name: 'unrecognizedRequests',
						type: 'options',
						options: [
							{
								name: 'Reject',
								value: 'reject',
								description: 'Respond 422 and name the missing fields',
							},
							{
								name: 'Start the Workflow',
								value: 'start',
								description: 'Start it with event "unrecognized" and the body of the request',
							},
						],
						default: 'reject',
						description: "What to do with a request that isn't a recognized event",
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
