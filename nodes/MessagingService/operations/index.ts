import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { SEND_AND_WAIT_OPERATION } from 'n8n-workflow';
import type { Operation, OperationTable } from '../runtime/operation';
import { create as createContact } from './contact/create';
import { getMany as getManyContacts } from './contact/getMany';
import { send as sendEmail } from './email/send';
import { get as getMessage } from './message/get';
import { waitForDelivery } from './message/waitForDelivery';
import { format } from './phoneNumber/format';
import { lookUp } from './phoneNumber/lookUp';
import { getMany as getManySenderIds } from './senderId/getMany';
import { get as getSms } from './sms/get';
import { send as sendSms } from './sms/send';
import { sendAndWait } from './sms/sendAndWait';
import { sendBulk } from './sms/sendBulk';
import { sendLater } from './sms/sendLater';
import { estimateCost } from './text/estimateCost';
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
	sms: { get: getSms, send: sendSms, sendAndWait, sendBulk, sendLater },
	text: { estimateCost },
	verification: { check, start },
	voice: { send: call },
	wallet: { createTopUp, getBalance, getManyTransactions, getTopUp, waitForTopUp },
	whatsapp: { send: sendWhatsapp },
} satisfies OperationTable;

/** The choices in the Operation field of a resource. */
export function optionsOf(resource: Readonly<Record<string, Operation>>): INodePropertyOptions[] {
	return Object.values(resource).map(({ option }) => option);
}

/** The fields of all operations, for the node's description. */
export const operationFields: INodeProperties[] = Object.values<Record<string, Operation>>(operations)
	.flatMap((resource) => Object.values(resource))
	.flatMap(({ fields }) => fields);

/**
 * The description of each operation as a tool of an AI agent. n8n's default is only the action, which doesn't mention the
 * cost. Send and Wait has none, because n8n offers it for human review and not as a tool.
 */
export const toolDescriptionFields = Object.entries<Record<string, Operation>>(operations)
	.flatMap(([resource, table]) => Object.values(table).map(({ option }) => toolDescriptionField(resource, option)))
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
