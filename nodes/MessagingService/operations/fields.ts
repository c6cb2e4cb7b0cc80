import type { INodeProperties } from 'n8n-workflow';

/** Country of numbers without a country code; for every operation that takes a number. */
export const defaultCountryOption: INodeProperties = {
	displayName: 'Default Country',
	name: 'defaultCountry',
	type: 'string',
	default: 'GH',
	placeholder: 'e.g. GH',
	description: 'Country of numbers written without a country code, as its code of two letters',
};

/** How many calls are under way at the same time. */
export const parallelRequestsOption: INodeProperties = {
	displayName: 'Parallel Requests',
	name: 'parallelRequests',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: 250 },
	default: 10,
	description: 'How many requests are under way at the same time; the order of the items is kept',
};

/** How many requests leave in a second. */
export const requestsPerSecondOption: INodeProperties = {
	displayName: 'Requests per Second',
	name: 'requestsPerSecond',
	type: 'number',
	typeOptions: { minValue: 0 },
	default: 0,
	description: 'Most requests that leave in a second; 0 for no limit. All wait when the service asks to slow down.',
};

/** Sends a message only if none was ever sent under the same key. */
export const sendOnceKeyOption: INodeProperties = {
	displayName: 'Send Once Key',
	name: 'sendOnceKey',
	type: 'string',
	default: '',
	placeholder: 'e.g. order-{{ $json.order_id }}',
	description:
		'What is the same for the same message, such as an order number. A second message with the same key is skipped, also in another execution, after a manual retry and after a restart. This node remembers the last 100,000 keys. Two workers that claim keys in the same instant are noticed nearly always, not always.',
};

/** Most messages that this node sends in one execution. */
export const maxRecipientsOption: INodeProperties = {
	displayName: 'Maximum Recipients',
	name: 'maxRecipients',
	type: 'number',
	typeOptions: { minValue: 0, numberPrecision: 0 },
	default: 0,
	description:
		'Most messages that this node sends in one execution, loops and AI agents included; if there would be more, nothing is sent. 0 for no limit.',
};

/** Most that this node spends in one execution. */
export const maxSpendOption: INodeProperties = {
	displayName: 'Maximum Spend',
	name: 'maxSpend',
	type: 'number',
	typeOptions: { minValue: 0, numberPrecision: 4 },
	default: 0,
	description:
		'Most that this node spends in one execution, in wallet currency and as estimated with Price per Segment; if it would be more, nothing is sent. 0 for no limit.',
};

/** What the account pays for a segment, for the estimates of the other guards. */
export const pricePerSegmentOption: INodeProperties = {
	displayName: 'Price per Segment',
	name: 'pricePerSegment',
	type: 'number',
	typeOptions: { minValue: 0, numberPrecision: 4 },
	default: 0,
	description: 'What your account pays for one SMS, for Maximum Spend and Check Balance',
};

/** Whether the wallet is asked before anything is sent. */
export const checkBalanceOption: INodeProperties = {
	displayName: 'Check Balance',
	name: 'checkBalance',
	type: 'options',
	options: [
		{ name: 'Stop if Too Low', value: 'stop', description: 'Send nothing if the wallet holds less than the estimate' },
		{ name: 'Warn if Too Low', value: 'warn', description: 'Send all the same: package credits are used first' },
	],
	default: 'warn',
	description: checkBalanceDescription('Price per Segment'),
};

/** Describes Check Balance. @param price name of the field with the price */
export function checkBalanceDescription(price: string): string {
	return `What to do if the wallet holds less than sending is estimated to cost; needs ${price}`;
}

/** When to send, in the time zone of the workflow. */
export const sendAtField: INodeProperties = {
	displayName: 'Send At',
	name: 'sendAt',
	type: 'dateTime',
	default: '',
	description:
		'When the service sends it, in the time zone of the workflow unless the time names its own. Empty is an error.',
};

/** Display names of the options that every send has, for errors. */
export const sendOptionLabels = { sendOnceKey: 'Send Once Key', maxRecipients: 'Maximum Recipients' };

/** Display names of the options that everything with a price has, but for the price itself; for errors. */
export const pricedLabels = {
	defaultCountry: 'Default Country',
	...sendOptionLabels,
	maxSpend: 'Maximum Spend',
	checkBalance: 'Check Balance',
};

/** Display names of the options that an SMS has, for errors. */
export const optionLabels = { ...pricedLabels, pricePerSegment: 'Price per Segment' };

type Show = NonNullable<INodeProperties['displayOptions']>['show'];

/** Whether a list is given whole. */
export function returnAllField(show: Show): INodeProperties {
	return {
		displayName: 'Return All',
		name: 'returnAll',
		type: 'boolean',
		default: false,
		description: 'Whether to return all results or only up to a given limit',
		displayOptions: { show },
	};
}

/** How much of a list is given. */
export function limitField(show: Show): INodeProperties {
	return {
		displayName: 'Limit',
		name: 'limit',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 50,
		description: 'Max number of results to return',
		displayOptions: { show: { ...show, returnAll: [false] } },
	};
}

/** Gives a field the operation that it is shown for. */
export function shownFor(resource: string, operation: string): NonNullable<INodeProperties['displayOptions']> {
	return { show: { resource: [resource], operation: [operation] } };
}

/** The Sender ID field: from the account's list, or by name. */
export function senderIdField(displayOptions: INodeProperties['displayOptions']): INodeProperties {
	return {
		displayName: 'Sender ID',
		name: 'senderId',
		type: 'resourceLocator',
		default: { mode: 'list', value: '' },
		required: true,
		description: 'The approved sender ID or short code that the recipient sees',
		displayOptions,
		modes: [
			{
				displayName: 'From List',
				name: 'list',
				type: 'list',
				placeholder: 'Select a sender ID...',
				typeOptions: { searchListMethod: 'searchSenderIds', searchable: true },
			},
			{
				displayName: 'By Name',
				name: 'name',
				type: 'string',
				placeholder: 'e.g. KOFISHOP',
			},
		],
	};
}

/** A field for one phone number: from the account's contacts, or as somebody types it. */
export function phoneField(
	name: 'to' | 'phone',
	description: string,
	displayOptions: INodeProperties['displayOptions'],
): INodeProperties {
	return {
		displayName: name === 'to' ? 'To' : 'Phone',
		name,
		type: 'resourceLocator',
		// Most numbers come from the item before, not from the list of contacts.
		default: { mode: 'phone', value: '' },
		required: true,
		description,
		displayOptions,
		modes: [
			{
				displayName: 'From Contacts',
				name: 'list',
				type: 'list',
				placeholder: 'Select a contact...',
				typeOptions: { searchListMethod: 'searchContacts', searchable: true },
			},
			{
				displayName: 'By Phone Number',
				name: 'phone',
				type: 'string',
				placeholder: 'e.g. +233201234567',
			},
		],
	};
}
