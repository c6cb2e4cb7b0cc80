import type {
	IHookFunctions,
	INodeType,
	INodeTypeDescription,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';
import {
	messagingServiceApiTest,
	messagingServiceRelayApiTest,
	messagingServiceSignatureApiTest,
	messagingServiceWebhookApiTest,
} from './host/credentialTests';
import { NODE_DOCUMENTATION_URL } from './host/documentation';
import { receiveWebhook } from './triggers/webhook/receive';
import { isRegistered, register, unregister } from './triggers/webhook/relay/registration';
import { readReceiveThrough } from './triggers/webhook/receiveThrough';
import { checkActivation } from './triggers/webhook/triggerSettings';

/** The condition of fields for the relay. With a slash, because n8n's editor looks it up from collections, too. */
const THROUGH_RELAY = { '/receiveThrough': ['relay'] };

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
		// n8n shows it for the action node, too: its node panel has one entry for both.
		description:
			'Send SMS, WhatsApp, email and calls, and start workflows on inbound messages, receipts and low balance',
		documentationUrl: NODE_DOCUMENTATION_URL,
		eventTriggerDescription:
			'Waiting for an event. Send an SMS to your number, or send a message to get its delivery receipt.',
		activationMessage: 'New events now start this workflow.',
		triggerPanel: {
			header: 'Receive a test event',
			executionsHelp: {
				inactive:
					'<b>To test</b>, open Webhook URLs and copy the Test URL to your provider. Then click \'Execute step\' and send an SMS to your number. The Test URL accepts one event, while n8n listens. It shows up in this editor.<br /><br /><b>To receive every event</b>, publish the workflow and give your provider the Production URL. These executions show up in the <a data-key="executions">executions list</a>.<br /><br /><b>With the relay</b>, there is no URL to copy.',
				active:
					'<b>Events at the Production URL</b> start this workflow now. These executions show up in the <a data-key="executions">executions list</a>.<br /><br /><b>To test a change</b>, open Webhook URLs and copy the Test URL to your provider. Then click \'Execute step\' and send an SMS to your number. The Test URL accepts one event, while n8n listens. It shows up in this editor.<br /><br /><b>With the relay</b>, there is no URL to copy.',
			},
			activationHint: {
				inactive:
					'Copy the Test URL before you click the button, and give it to your provider. With the relay, there is nothing to copy.',
				active:
					'Events start the published workflow, but do not show up here. To test, use the Test URL. With the relay, there is nothing to copy.',
			},
		},
		defaults: { name: 'Messaging Service Trigger' },
		inputs: [],
		outputs:
			"={{ $parameter.routeByKeyword ? ['STOP', 'START', 'HELP', ...String($parameter.customKeywords ?? '').split(',').map((word) => word.trim()).filter((word) => word !== ''), 'Other'].map((displayName) => ({ type: 'main', displayName })) : ['main'] }}",
		credentials: [
			{
				name: 'messagingServiceWebhookApi',
				required: true,
				testedBy: 'messagingServiceWebhookApiTest',
				displayOptions: { show: { authentication: ['secret'] }, hide: THROUGH_RELAY },
			},
			{
				name: 'messagingServiceSignatureApi',
				required: true,
				testedBy: 'messagingServiceSignatureApiTest',
				displayOptions: { show: { authentication: ['signature'] }, hide: THROUGH_RELAY },
			},
			{
				name: 'messagingServiceRelayApi',
				required: true,
				testedBy: 'messagingServiceRelayApiTest',
				displayOptions: { show: THROUGH_RELAY },
			},
			{
				name: 'messagingServiceApi',
				required: true,
				testedBy: 'messagingServiceApiTest',
				// With the bare name, n8n's editor treats the field as a choice of authentication and hides it.
				displayOptions: { show: { '/forwardInboundSms': [true] } },
			},
		],
		webhooks: [
			{
				name: 'default',
				httpMethod: 'POST',
				responseMode: 'onReceived',
				// Without it, n8n responds with the text "firstEntryJson" instead of the result of webhook().
				responseData: '',
				// The trigger registers its URL at the relay, so there is nothing to copy.
				ndvHideUrl: '={{ $parameter.receiveThrough === "relay" }}',
				// n8n registers a path only once. The webhook ID alone would not do: n8n keeps it in copies of a workflow.
				// With a path that contains a parameter, n8n puts the webhook ID in front.
				isFullPath: true,
				path: '={{ ($parameter.receiveThrough !== "relay" && $parameter.authentication === "secret" ? [$workflow.id, $nodeId, ":secret"] : [$webhookId, $workflow.id, $nodeId]).join("/") }}',
			},
		],
		properties: [
			{
				displayName: 'Trigger On',
				name: 'triggerOn',
				type: 'multiOptions',
				required: true,
				options: [
					{
						name: 'Delivery Receipt',
						value: 'deliveryReceipt',
						action: 'On delivery receipt',
						description: 'A message was sent, delivered or failed',
					},
					{
						name: 'Inbound SMS',
						value: 'inboundSms',
						action: 'On inbound SMS',
						description: 'A message to one of your numbers or sender IDs arrived',
					},
					{
						name: 'Inbound WhatsApp',
						value: 'inboundWhatsapp',
						action: 'On inbound WhatsApp message',
						description: 'A message to your WhatsApp number arrived',
					},
					{
						name: 'Low Balance',
						value: 'lowBalance',
						action: 'On low balance',
						description: 'The balance dropped below the threshold set in the dashboard of the service',
					},
				],
				default: ['inboundSms'],
			},
			{
				displayName: 'Receive Through',
				name: 'receiveThrough',
				type: 'options',
				noDataExpression: true,
				options: [
					{
						name: 'Relay',
						value: 'relay',
						description: 'Your relay keeps each event until a workflow has it, and serves any number of workflows',
					},
					{
						name: 'URL of This Trigger',
						value: 'url',
						description: 'Your gateway and the service send events to a URL of this trigger',
					},
				],
				default: 'url',
				description: 'How events reach this workflow. With a relay, you paste no URL per workflow.',
			},
			{
				displayName:
					'1. Create a credential with the URL of your relay and a token for n8n.<br>2. Publish the workflow. It registers itself at the relay.<br>There is no URL to paste: the gateway and the service send their events to the relay. To test, click Execute step.',
				name: 'relayNotice',
				type: 'notice',
				default: '',
				displayOptions: { show: THROUGH_RELAY },
			},
			{
				displayName: 'Authentication',
				name: 'authentication',
				type: 'options',
				noDataExpression: true,
				// The value `none` makes n8n's editor show the field, as in n8n's Webhook node.
				options: [
					{
						name: 'Unguessable URL',
						value: 'none',
						description: 'Copy one URL. It contains random IDs.',
					},
					{
						name: 'Secret in the URL',
						value: 'secret',
						description: 'The URL ends in a secret that you can change, and that is not part of the workflow',
					},
					{
						name: 'Signature',
						value: 'signature',
						description: 'Your provider signs its requests. The URL contains random IDs.',
					},
				],
				default: 'none',
				displayOptions: { hide: THROUGH_RELAY },
				description: 'How the trigger knows that a request comes from your provider',
			},
			{
				displayName:
					'1. Open Webhook URLs above and copy the Production URL, such as https://n8n.example.com/webhook/2b7a0e61…<br>2. For inbound messages, paste it at your SMS gateway. For receipts and low balance, paste it as the callback URL in the dashboard of the service.<br>3. Publish the workflow.<br>Anyone with this URL, or with the JSON of this workflow, can send events. To test, copy the Test URL instead, and click Execute step.',
				name: 'urlNotice',
				type: 'notice',
				default: '',
				displayOptions: { show: { authentication: ['none'] }, hide: THROUGH_RELAY },
			},
			{
				displayName:
					'1. Create a credential. It shows you a new secret, or you enter your own. Keep a copy.<br>2. Open Webhook URLs above and copy the Production URL.<br>3. Replace :secret at its end with your secret: …/7f0c2f0e/:secret becomes …/7f0c2f0e/9b1d47c0…<br>4. For inbound messages, paste it at your SMS gateway. For receipts and low balance, paste it as the callback URL in the dashboard of the service.<br>5. Publish the workflow.<br>To test, do the same with the Test URL, and click Execute step.',
				name: 'secretNotice',
				type: 'notice',
				default: '',
				displayOptions: { show: { authentication: ['secret'] }, hide: THROUGH_RELAY },
			},
			{
				displayName:
					'1. Create a credential, and enter how your provider signs its requests.<br>2. Open Webhook URLs above and copy the Production URL, such as https://n8n.example.com/webhook/2b7a0e61…<br>3. For inbound messages, paste it at your SMS gateway. For receipts and low balance, paste it as the callback URL in the dashboard of the service.<br>4. Publish the workflow.<br>Requests without a valid signature are rejected. To test, copy the Test URL instead, and click Execute step.',
				name: 'signatureNotice',
				type: 'notice',
				default: '',
				displayOptions: { show: { authentication: ['signature'] }, hide: THROUGH_RELAY },
			},
			{
				displayName: 'Forward Inbound SMS',
				name: 'forwardInboundSms',
				type: 'boolean',
				default: false,
				displayOptions: { hide: THROUGH_RELAY },
				description:
					'Whether to also forward each inbound SMS to the service, so that its inbox and opt-out list stay complete',
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
						displayOptions: { hide: THROUGH_RELAY },
						placeholder: 'e.g. 203.0.113.7, 198.51.100.0/24',
						description:
							'Accept requests only from these addresses (none if empty). Behind a proxy, set N8N_PROXY_HOPS to see the real address.',
					},
					{
						displayName: 'Batch Size',
						name: 'batchSize',
						type: 'number',
						typeOptions: { minValue: 1, maxValue: 500 },
						default: 100,
						displayOptions: { show: THROUGH_RELAY },
						description:
							'Maximum events in one execution. The relay waits five seconds for more. Without this option, each event has its own.',
					},
					{
						displayName: 'Deduplication Window (Seconds)',
						name: 'deduplicationWindowSeconds',
						type: 'number',
						typeOptions: { minValue: 0 },
						default: 60,
						displayOptions: { hide: THROUGH_RELAY },
						description:
							'How long an identical request counts as a duplicate, for messages without an ID. 0 turns this off.',
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
						displayName: 'Sender IDs',
						name: 'senderIds',
						type: 'string',
						default: '',
						displayOptions: { hide: THROUGH_RELAY },
						placeholder: 'e.g. KOFISHOP, KOFI SHOP',
						description:
							'Your sender IDs, separated by commas. Without them, STOP KOFISHOP to your short code is no opt-out.',
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
		credentialTest: {
			messagingServiceApiTest,
			messagingServiceRelayApiTest,
			messagingServiceSignatureApiTest,
			messagingServiceWebhookApiTest,
		},
	};

	webhookMethods = {
		default: {
			async checkExists(this: IHookFunctions): Promise<boolean> {
				const { way, settings } = await checkActivation(this);
				return way === 'relay' ? await isRegistered(this, settings) : true;
			},
			async create(this: IHookFunctions): Promise<boolean> {
				const { way, settings } = await checkActivation(this);
				if (way === 'relay') await register(this, settings);
				return true;
			},
			async delete(this: IHookFunctions): Promise<boolean> {
				if (readReceiveThrough(this) === 'relay') await unregister(this);
				return true;
			},
		},
	};

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return await receiveWebhook(this);
	}
}
