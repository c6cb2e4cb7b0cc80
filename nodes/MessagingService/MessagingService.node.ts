import {
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	type IWebhookFunctions,
	type IWebhookResponseData,
	NodeConnectionTypes,
} from 'n8n-workflow';
import { operations, properties } from './operations';
import { searchContacts, searchSenderIds } from './host/pickers';
import { messagingServiceApiTest } from './host/credentialTests';
import { NODE_DOCUMENTATION_URL } from './host/documentation';
import { execute } from './execution/execute';
import { responseWebhooks, receiveResponse } from './execution/sendAndWait/receiveResponse';

/** The action node: one resource and operation at a time, for each input item. */
export class MessagingService implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Messaging Service',
		name: 'messagingService',
		icon: { light: 'file:messagingService.svg', dark: 'file:messagingService.dark.svg' },
		group: ['output'],
		version: [1],
		subtitle:
			'={{$parameter["operation"] + ": " + $parameter["resource"] + ($parameter["options"]?.["dryRun"] === true ? " (dry run)" : "")}}',
		description: 'Send SMS, WhatsApp, email and voice messages, verify phone numbers and manage your prepaid wallet',
		documentationUrl: NODE_DOCUMENTATION_URL,
		defaults: { name: 'Messaging Service' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		// Send Bulk has one row per recipient, and a summary. Send and Wait continues with or without a response.
		outputs:
			'={{ $parameter.resource !== "sms" ? ["main"] : $parameter.operation === "sendBulk" ? [{ type: "main", displayName: "Recipients" }, { type: "main", displayName: "Summary" }] : $parameter.operation === "sendAndWait" ? [{ type: "main", displayName: "Response" }, { type: "main", displayName: "No Response" }].concat($parameter.options?.reminder ? [{ type: "main", displayName: "Reminder" }] : []) : ["main"] }}',
		waitingNodeTooltip:
			'={{ $parameter["operation"] === "sendAndWait" ? "The execution continues when an approver responds" : "" }}',
		webhooks: responseWebhooks,
		credentials: [{ name: 'messagingServiceApi', required: true, testedBy: 'messagingServiceApiTest' }],
		hints: [
			{
				message: 'Dry Run is on: the node sends nothing. Remove the option to send.',
				type: 'warning',
				location: 'inputPane',
				whenToDisplay: 'always',
				displayCondition: '={{ $parameter["options"]?.["dryRun"] === true }}',
			},
		],
		properties,
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
