import { type INodeProperties, SEND_AND_WAIT_OPERATION } from 'n8n-workflow';
import type { Operation, OperationTable } from '../execution/operation';
import { create as createContact } from './contact/create';
import { getMany as getManyContacts } from './contact/getMany';
import { send as sendEmail } from './email/send';
import { get as getMessage } from './message/get';
import { waitForDelivery } from './message/waitForDelivery';
import { format } from './phoneNumber/format';
import { lookUp } from './phoneNumber/lookUp';
import { getMany as getManySenderIds } from './senderId/getMany';
import { estimateCost } from './sms/estimateCost';
import { send as sendSms } from './sms/send';
import { sendAndWait } from './sms/sendAndWait';
import { sendBulk } from './sms/sendBulk';
import { sendLater } from './sms/sendLater';
import { check } from './verification/check';
import { start } from './verification/start';
import { send as call } from './voice/send';
import { createTopUp } from './wallet/createTopUp';
import { getBalance } from './wallet/getBalance';
import { getManyTransactions } from './wallet/getManyTransactions';
import { getTopUp } from './wallet/getTopUp';
import { waitForTopUp } from './wallet/waitForTopUp';
import { send as sendWhatsapp } from './whatsapp/send';

/** Every operation, by resource and operation value. In alphabetical order of the display names, as in n8n's own nodes. */
export const operations = {
	contact: { create: createContact, getMany: getManyContacts },
	email: { send: sendEmail },
	message: { get: getMessage, waitForDelivery },
	phoneNumber: { format, lookUp },
	senderId: { getMany: getManySenderIds },
	sms: { estimateCost, send: sendSms, sendAndWait, sendBulk, sendLater },
	verification: { check, start },
	voice: { send: call },
	wallet: { createTopUp, getBalance, getManyTransactions, getTopUp, waitForTopUp },
	whatsapp: { send: sendWhatsapp },
} satisfies OperationTable;

/** A choice in the Resource field, and the operation that is chosen first. */
interface Choice {
	readonly name: string;
	readonly first: string;
}

/** The choices in the Resource field, in alphabetical order of their names. */
const choices = {
	contact: { name: 'Contact', first: 'create' },
	email: { name: 'Email', first: 'send' },
	message: { name: 'Message', first: 'get' },
	phoneNumber: { name: 'Phone Number', first: 'format' },
	senderId: { name: 'Sender ID', first: 'getMany' },
	sms: { name: 'SMS', first: 'send' },
	verification: { name: 'Verification', first: 'start' },
	voice: { name: 'Voice', first: 'send' },
	wallet: { name: 'Wallet', first: 'getBalance' },
	whatsapp: { name: 'WhatsApp', first: 'send' },
} satisfies { [R in keyof typeof operations]: Choice & { readonly first: keyof (typeof operations)[R] } };

const table: OperationTable = operations;
const resources = Object.entries<Choice>(choices).map(([resource, choice]) => ({
	...choice,
	resource,
	all: Object.values(table[resource] ?? {}),
}));

const resourceField: INodeProperties = {
	displayName: 'Resource',
	name: 'resource',
	type: 'options',
	noDataExpression: true,
	options: resources.map(({ name, resource }) => ({ name, value: resource })),
	default: 'sms',
};

const operationFields = resources.map(({ resource, first, all }): INodeProperties => ({
	displayName: 'Operation',
	name: 'operation',
	type: 'options',
	noDataExpression: true,
	displayOptions: { show: { resource: [resource] } },
	options: all.map(({ option }) => option),
	default: first,
}));

/**
 * The description of each operation as a tool of an AI agent. n8n's default is only the action, which doesn't mention the
 * cost. Send and Wait has none, because n8n offers it for human review and not as a tool.
 */
const toolDescriptionFields = resources
	.flatMap(({ resource, all }) => all.map(({ option }) => toolDescriptionField(resource, option)))
	.filter(({ displayOptions }) => !displayOptions?.show?.operation?.includes(SEND_AND_WAIT_OPERATION));

function toolDescriptionField(resource: string, { value, description }: Operation['option']): INodeProperties {
	return {
		displayName: 'Description',
		name: 'toolDescription',
		type: 'string',
		typeOptions: { rows: 2 },
		default: description,
		required: true,
		description: 'Tool description for the AI agent',
		displayOptions: { show: { '@tool': [true], resource: [resource], operation: [value] } },
	};
}

/** All fields of the node: the resource, its operations, and the fields of each operation. */
export const properties: INodeProperties[] = [
	resourceField,
	...operationFields,
	...toolDescriptionFields,
	...resources.flatMap(({ all }) => all).flatMap(({ fields }) => fields),
];
