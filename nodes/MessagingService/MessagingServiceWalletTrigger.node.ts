import {
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	type IPollFunctions,
	NodeConnectionTypes,
} from 'n8n-workflow';
import { messagingServiceApiTest } from './host/credentialTests';
import { NODE_DOCUMENTATION_URL } from './host/documentation';
import { pollWallet } from './triggers/wallet/pollWallet';

/** The polling trigger: starts a workflow for a low balance, a new transaction or a completed top-up. */
export class MessagingServiceWalletTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Messaging Service Wallet Trigger',
		name: 'messagingServiceWalletTrigger',
		icon: { light: 'file:messagingService.svg', dark: 'file:messagingService.dark.svg' },
		group: ['trigger'],
		version: [1],
		subtitle:
			'={{ "on " + ($parameter.triggerOn ?? []).map((name) => ({ lowBalance: "low balance", newTransaction: "new transaction", topUpCompleted: "top-up completed" })[name]).join(", ") }}',
		description: 'Starts the workflow when the balance is low, a transaction is recorded or a top-up completes',
		documentationUrl: NODE_DOCUMENTATION_URL,
		defaults: { name: 'Messaging Service Wallet Trigger' },
		polling: true,
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'messagingServiceApi', required: true, testedBy: 'messagingServiceApiTest' }],
		properties: [
			{
				displayName: 'Trigger On',
				name: 'triggerOn',
				type: 'multiOptions',
				required: true,
				options: [
					{
						name: 'Low Balance',
						value: 'lowBalance',
						action: 'On low balance',
						description: 'The balance is below the threshold. Fires once, and again only after it was 10% above.',
					},
					{
						name: 'New Transaction',
						value: 'newTransaction',
						action: 'On new transaction',
						description: 'A top-up, debit, refund or adjustment was recorded',
					},
					{
						name: 'Top-Up Completed',
						value: 'topUpCompleted',
						action: 'On top-up completed',
						description: 'A top-up was credited to the wallet',
					},
				],
				default: ['lowBalance'],
			},
			{
				displayName: 'Threshold Unit',
				name: 'thresholdUnit',
				type: 'options',
				options: [
					{
						name: 'Currency',
						value: 'currency',
						description: 'An amount in the currency of the wallet',
					},
					{
						name: 'Messages Left',
						value: 'messages',
						description: 'A number of messages that the balance can still pay for',
					},
				],
				default: 'currency',
				displayOptions: { show: { triggerOn: ['lowBalance'] } },
			},
			{
				displayName: 'Balance Below',
				name: 'threshold',
				type: 'number',
				typeOptions: { minValue: 0, numberPrecision: 2 },
				default: 5,
				displayOptions: { show: { triggerOn: ['lowBalance'], thresholdUnit: ['currency'] } },
				description: 'Start the workflow when the balance is below this amount, in the currency of the wallet',
			},
			{
				displayName: 'Messages Left Below',
				name: 'messagesLeft',
				type: 'number',
				typeOptions: { minValue: 0 },
				default: 100,
				displayOptions: { show: { triggerOn: ['lowBalance'], thresholdUnit: ['messages'] } },
				description: 'Start the workflow when the balance can pay for fewer messages than this, of one segment each',
			},
			{
				displayName: 'Price per Segment',
				name: 'pricePerSegment',
				type: 'number',
				typeOptions: { minValue: 0, numberPrecision: 4 },
				default: 0,
				required: true,
				displayOptions: { show: { triggerOn: ['lowBalance'], thresholdUnit: ['messages'] } },
				description:
					'The price that your account pays for one segment, in wallet currency. See the cost of a sent message.',
			},
			{
				displayName: 'Options',
				name: 'options',
				type: 'collection',
				placeholder: 'Add option',
				default: {},
				displayOptions: { show: { triggerOn: ['newTransaction'] } },
				options: [
					{
						displayName: 'Only Types',
						name: 'onlyTypes',
						type: 'multiOptions',
						options: [
							{ name: 'Adjustment', value: 'adjustment' },
							{ name: 'Debit', value: 'debit', description: 'A paid operation, such as a send, or a fee' },
							{ name: 'Refund', value: 'refund' },
							{ name: 'Top-Up', value: 'topup' },
						],
						default: [],
						description: 'Types of new transactions that start the workflow. If empty, all types.',
					},
				],
			},
		],
	};

	methods = {
		credentialTest: { messagingServiceApiTest },
	};

	async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		return await pollWallet(this);
	}
}
