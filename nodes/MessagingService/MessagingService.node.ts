import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import { operationFields, operations, optionsOf, toolDescriptionFields } from './operations';
import { searchContacts, searchSenderIds } from './pickers';
import { messagingServiceApiTest } from './runtime/credentialTests';
import { execute } from './runtime/execute';
import { responseWebhooks, receiveResponse } from './runtime/sendAndWait/receiveResponse';

/** The action node: one resource and operation at a time, for each input item. */
export class MessagingService implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Messaging Service',
		name: 'messagingService',
		icon: { light: 'file:messagingService.svg', dark: 'file:messagingService.dark.svg' },
		group: ['output'],
		version: [1],
		subtitle: '={{$parameter["operation"] + ": " + $parameter["resource"]}}',
		description: 'Send SMS, WhatsApp, email and voice messages, verify phone numbers and manage your prepaid wallet',
		defaults: { name: 'Messaging Service' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		// Send Bulk has one row per recipient, and a summary.
		outputs:
			'={{ $parameter.resource === "sms" && $parameter.operation === "sendBulk" ? [{ type: "main", displayName: "Recipients" }, { type: "main", displayName: "Summary" }] : ["main"] }}',
		waitingNodeTooltip:
			'={{ $parameter["operation"] === "sendAndWait" ? "The execution continues when the recipient responds" : "" }}',
		webhooks: responseWebhooks,
		credentials: [{ name: 'messagingServiceApi', required: true, testedBy: 'messagingServiceApiTest' }],
		properties: [
			{
				displayName: 'Resource',
				name: 'resource',
				type: 'options',
				noDataExpression: true,
				options: [
					{ name: 'Contact', value: 'contact' },
					{ name: 'Email', value: 'email' },
					{ name: 'Message', value: 'message' },
					{ name: 'Phone Number', value: 'phoneNumber' },
					{ name: 'Sender ID', value: 'senderId' },
					{ name: 'SMS', value: 'sms' },
					{ name: 'Text', value: 'text' },
					{ name: 'Verification', value: 'verification' },
					{ name: 'Voice', value: 'voice' },
					{ name: 'Wallet', value: 'wallet' },
					{ name: 'WhatsApp', value: 'whatsapp' },
				],
				default: 'sms',
			},
			{
				displayName: 'Operation',
				name: 'operation',
				type: 'options',
				noDataExpression: true,
				displayOptions: { show: { resource: ['contact'] } },
				options: optionsOf(operations.contact),
				default: 'create',
			},
			{
				displayName: 'Operation',
				name: 'operation',
				type: 'options',
				noDataExpression: true,
				displayOptions: { show: { resource: ['email'] } },
				options: optionsOf(operations.email),
				default: 'send',
			},
			{
				displayName: 'Operation',
				name: 'operation',
				type: 'options',
				noDataExpression: true,
				displayOptions: { show: { resource: ['message'] } },
				options: optionsOf(operations.message),
				default: 'get',
			},
			{
				displayName: 'Operation',
				name: 'operation',
				type: 'options',
				noDataExpression: true,
				displayOptions: { show: { resource: ['phoneNumber'] } },
				options: optionsOf(operations.phoneNumber),
				default: 'format',
			},
			{
				displayName: 'Operation',
				name: 'operation',
				type: 'options',
				noDataExpression: true,
				displayOptions: { show: { resource: ['senderId'] } },
				options: optionsOf(operations.senderId),
				default: 'getMany',
			},
			{
				displayName: 'Operation',
				name: 'operation',
				type: 'options',
				noDataExpression: true,
				displayOptions: { show: { resource: ['sms'] } },
				options: optionsOf(operations.sms),
				default: 'send',
			},
			{
				displayName: 'Operation',
				name: 'operation',
				type: 'options',
				noDataExpression: true,
				displayOptions: { show: { resource: ['text'] } },
				options: optionsOf(operations.text),
				default: 'estimateCost',
			},
			{
				displayName: 'Operation',
				name: 'operation',
				type: 'options',
				noDataExpression: true,
				displayOptions: { show: { resource: ['verification'] } },
				options: optionsOf(operations.verification),
				default: 'start',
			},
			{
				displayName: 'Operation',
				name: 'operation',
				type: 'options',
				noDataExpression: true,
				displayOptions: { show: { resource: ['voice'] } },
				options: optionsOf(operations.voice),
				default: 'send',
			},
			{
				displayName: 'Operation',
				name: 'operation',
				type: 'options',
				noDataExpression: true,
				displayOptions: { show: { resource: ['wallet'] } },
				options: optionsOf(operations.wallet),
				default: 'getBalance',
			},
			{
				displayName: 'Operation',
				name: 'operation',
				type: 'options',
				noDataExpression: true,
				displayOptions: { show: { resource: ['whatsapp'] } },
				options: optionsOf(operations.whatsapp),
				default: 'send',
			},
			...toolDescriptionFields,
			...operationFields,
		],
	};

	methods = {
		listSearch: { searchContacts, searchSenderIds },
		credentialTest: { messagingServiceApiTest },
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await execute(this, operations);
	}

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return await Promise.resolve(receiveResponse(this));
	}
}
