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
	typeOptions: { minValue: 1, maxValue: 50 },
	default: 5,
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
