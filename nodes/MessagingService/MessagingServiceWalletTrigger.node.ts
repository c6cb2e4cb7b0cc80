import type { INodeExecutionData, INodeType, INodeTypeDescription, IPollFunctions } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import { messagingServiceApiTest } from './runtime/credentialTests';
import { pollWallet } from './runtime/wallet/pollWallet';

/** The polling trigger: starts a workflow when the wallet runs low, something is booked or a top-up has come. */
export class MessagingServiceWalletTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Messaging Service Wallet Trigger',
		name: 'messagingServiceWalletTrigger',
		icon: { light: 'file:messagingService.svg', dark: 'file:messagingService.dark.svg' },
		group: ['trigger'],
		version: [1],
		subtitle:
			'={{ "on " + ($parameter.triggerOn ?? []).map((name) => ({ lowBalance: "low balance", newTransaction: "new transaction", topUpCompleted: "top-up completed" })[name]).join(", ") }}',
		description: 'Starts the workflow when the wallet runs low, something is booked or a top-up has come',
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
						description: 'The wallet fell below a threshold; once, until it was 10 % above it again',
					},
					{
						name: 'New Transaction',
						value: 'newTransaction',
						description: 'A top-up, debit, refund or adjustment was booked',
					},
					{
						name: 'Top-Up Completed',
						value: 'topUpCompleted',
						description: 'Money that was paid in is in the wallet',
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
						description: 'A number of messages that the wallet can still pay for',
					},
				],
				default: 'currency',
				displayOptions: { show: { triggerOn: ['lowBalance'] } },
			},
			{
				displayName: 'Balance Below',
				name: 'threshold',
				type: 'number',
				typeOptions: { minValue: 0, numberPrecision: 4 },
				default: 5,
				displayOptions: { show: { triggerOn: ['lowBalance'], thresholdUnit: ['currency'] } },
				description: 'Start the workflow when the wallet holds less than this, in its currency',
			},
			{
				displayName: 'Messages Left Below',
				name: 'messagesLeft',
				type: 'number',
				typeOptions: { minValue: 0 },
				default: 100,
				displayOptions: { show: { triggerOn: ['lowBalance'], thresholdUnit: ['messages'] } },
				description: 'Start the workflow when the wallet can pay for fewer messages than this',
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
					'What one message part costs you, in the currency of the wallet. The field cost of a sent message tells.',
			},
			{
				displayName: 'Options',
				name: 'options',
				type: 'collection',
				placeholder: 'Add Option',
				default: {},
				displayOptions: { show: { triggerOn: ['newTransaction'] } },
				options: [
					{
						displayName: 'Only Types',
						name: 'onlyTypes',
						type: 'string',
						default: '',
						placeholder: 'e.g. refund, adjustment',
						description: 'Types of the new transactions that start the workflow, separated by commas',
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
