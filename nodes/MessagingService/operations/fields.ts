import type { INodeProperties } from 'n8n-workflow';
import { phoneCountries } from '../../../shared';

/** The Default Country option. */
const defaultCountryOption: INodeProperties = {
	displayName: 'Default Country',
	name: 'defaultCountry',
	type: 'options',
	options: phoneCountries().map(({ name, code }) => ({ name, value: code })),
	default: 'GH',
	description:
		'Country of numbers without a country code. An expression can return a two-letter code or an English name.',
};

/** The Unknown Number Ranges option: whether new mobile numbers pass. */
const unknownNumberRangesOption: INodeProperties = {
	displayName: 'Unknown Number Ranges',
	name: 'unknownNumberRanges',
	type: 'options',
	options: [
		{ name: 'Allow', value: 'allow', description: 'Accept such a number if it has the length of a mobile number' },
		{ name: 'Reject', value: 'reject', description: 'Reject such a number before anything is sent' },
	],
	default: 'reject',
	description: 'What to do with numbers in ranges that the node does not know yet, such as new ones in Ghana',
};

/** The Landlines option: whether a message may go to a landline. */
const landlinesOption: INodeProperties = {
	displayName: 'Landlines',
	name: 'landlines',
	type: 'options',
	options: [
		{ name: 'Allow', value: 'allow', description: 'Send to a landline, which usually cannot receive' },
		{ name: 'Reject', value: 'reject', description: 'Reject a landline before anything is sent' },
	],
	default: 'reject',
	description: 'What to do with numbers that are certainly landlines. They usually cannot receive, and may be charged.',
};

/** The options of every operation with a phone number. */
export const numberOptions = [defaultCountryOption, unknownNumberRangesOption];

/** The options of every operation that sends a text to a phone number. */
export const textNumberOptions = [...numberOptions, landlinesOption];

/** The Parallel Requests option: how many requests are in flight at once. */
const parallelRequestsOption: INodeProperties = {
	displayName: 'Parallel Requests',
	name: 'parallelRequests',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: 250 },
	default: 10,
	description: 'How many requests are in flight at once. The items keep their order.',
};

/** The Requests per Second option: the rate limit of a run. */
const requestsPerSecondOption: INodeProperties = {
	displayName: 'Requests per Second',
	name: 'requestsPerSecond',
	type: 'number',
	typeOptions: { minValue: 0, numberPrecision: 2 },
	default: 10,
	description: 'Maximum requests per second. If the service asks to slow down, all requests wait.',
};

/** The Send Once Key option: an idempotency key (docs/n8n.md#send-once-key). */
export const sendOnceKeyOption: INodeProperties = {
	displayName: 'Send Once Key',
	name: 'sendOnceKey',
	type: 'string',
	default: '',
	placeholder: 'e.g. {{ $json.order_id }}-{{ $json.status }}',
	description:
		'One value for each message, such as 1001-shipped (idempotency key). A repeat is skipped. Several workers need a relay.',
};

/** The Key Scope option: where a Send Once Key is unique. */
export const keyScopeOption: INodeProperties = {
	displayName: 'Key Scope',
	name: 'keyScope',
	type: 'options',
	options: [
		{ name: 'This Node', value: 'node', description: 'Another node may use the same key for another message' },
		{
			name: 'Whole Account',
			value: 'account',
			description: 'All nodes, workflows and Zaps share the key. Needs a relay as Base URL.',
		},
	],
	default: 'node',
	description: 'Where the Send Once Key identifies one message. Whole Account needs a relay as Base URL.',
};

/** The Maximum Recipients option: the most messages that this node may send in one execution. */
export const maxRecipientsOption: INodeProperties = {
	displayName: 'Maximum Recipients',
	name: 'maxRecipients',
	type: 'number',
	typeOptions: { minValue: 1, numberPrecision: 0 },
	default: 100,
	description: 'Maximum messages of this node per execution. If there would be more, nothing is sent.',
};

/** The Dry Run option: a run that shows what would happen (docs/n8n.md#dry-run). */
export const dryRunOption: INodeProperties = {
	displayName: 'Dry Run',
	name: 'dryRun',
	type: 'boolean',
	default: true,
	description:
		'Whether to only show what would happen to each recipient, with the cost. Nothing is sent, charged or counted.',
};

/** The Priority option of an SMS. */
const priorityOption: INodeProperties = {
	displayName: 'Priority',
	name: 'priority',
	type: 'boolean',
	default: false,
	description: 'Whether to use the faster route for one-time codes, at a higher rate',
};

/** The price that estimates the cost of an operation. */
export interface PriceOption {
	/** Name of the option, e.g. `Price per Segment`. */
	readonly displayName: string;
	readonly name: string;
	/** The thing that has the price, e.g. `SMS segment`. */
	readonly unit: string;
	/** Consequence of a cost above the limit, e.g. `nothing is sent`. */
	readonly consequence: string;
}

/** Makes the options that need a price: Check Balance, Maximum Spend, and the price itself, all in wallet currency. */
export function priceOptions({ displayName, name, unit, consequence }: PriceOption): INodeProperties[] {
	return [
		{
			displayName: 'Check Balance',
			name: 'checkBalance',
			type: 'options',
			options: [
				{
					name: 'Stop if Too Low',
					value: 'stop',
					description: 'Send nothing if the balance is below the estimated cost',
				},
				{
					name: 'Warn if Too Low',
					value: 'warn',
					description: 'Send anyway, with a warning. Package credits are used before the balance.',
				},
			],
			default: 'stop',
			description: `What to do if the balance is below the estimated cost. Needs ${displayName}.`,
		},
		{
			displayName: 'Maximum Spend',
			name: 'maxSpend',
			type: 'number',
			typeOptions: { minValue: 0, numberPrecision: 2 },
			default: 10,
			description: `Maximum cost per execution, estimated with ${displayName}. If higher, ${consequence}.`,
		},
		{
			displayName,
			name,
			type: 'number',
			typeOptions: { minValue: 0, numberPrecision: 4 },
			default: 0,
			description: `The price that your account pays for one ${unit}, in wallet currency. Needed for Maximum Spend and Check Balance.`,
		},
	];
}

/** The options of every send. */
export const sendOptions = [dryRunOption, keyScopeOption, maxRecipientsOption, sendOnceKeyOption];

/** The options of operations that make a request for each item. */
export const paceOptions = [parallelRequestsOption, requestsPerSecondOption];

/** The options of every SMS. */
export const smsOptions = [
	...sendOptions,
	...priceOptions({
		displayName: 'Price per Segment',
		name: 'pricePerSegment',
		unit: 'SMS segment',
		consequence: 'nothing is sent',
	}),
	...textNumberOptions,
	priorityOption,
];

/**
 * Makes the Options field.
 * @param options in any order, because n8n's guidelines want them in that of their display names
 */
export function optionsField(
	displayOptions: INodeProperties['displayOptions'],
	options: readonly INodeProperties[],
): INodeProperties {
	return {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		displayOptions,
		options: [...options].sort((one, other) => one.displayName.localeCompare(other.displayName)),
	};
}

/** The parts in which message fields differ. */
type MessageField = Required<Pick<INodeProperties, 'placeholder' | 'description' | 'displayOptions'>>;

/** Makes the field for the text of a message. */
export function messageField(parts: MessageField): INodeProperties {
	return {
		displayName: 'Message',
		name: 'message',
		type: 'string',
		typeOptions: { rows: 4 },
		default: '',
		required: true,
		...parts,
	};
}

/** The description of the message of an SMS. */
export const SMS_DESCRIPTION =
	'The message to send, up to 1,600 characters. Long messages are charged as several segments.';

/** Makes the field for the ID of a message. */
export function messageIdField(
	description: string,
	displayOptions: INodeProperties['displayOptions'],
): INodeProperties {
	return {
		displayName: 'Message ID',
		name: 'messageId',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. {{ $json.message_id }}',
		description,
		displayOptions,
	};
}

/** The Send At field, in the time zone of the workflow. */
export const sendAtField: INodeProperties = {
	displayName: 'Send At',
	name: 'sendAt',
	type: 'dateTime',
	default: '',
	description: 'When to send. A time without an offset is in the time zone of the workflow. Empty is an error.',
};

type Show = NonNullable<INodeProperties['displayOptions']>['show'];

/** The Return All field of a list. */
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

/** The Limit field of a list, shown while Return All is off. */
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

/** Shows a field for one operation only. */
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
				displayName: 'Name',
				name: 'name',
				type: 'string',
				placeholder: 'e.g. KOFISHOP',
			},
		],
	};
}

/** A field for one phone number: from the account's contacts, or typed. */
export function phoneField(
	name: 'to' | 'phone',
	description: string,
	displayOptions: INodeProperties['displayOptions'],
): INodeProperties {
	return {
		displayName: name === 'to' ? 'To' : 'Phone',
		name,
		type: 'resourceLocator',
		// Most numbers come from the input item, not from the contacts.
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
				displayName: 'Number',
				name: 'phone',
				type: 'string',
				placeholder: 'e.g. +233201234567',
			},
		],
	};
}
