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

/** Every operation, by resource and operation value; A-Z by the names that users see, as n8n has them. */
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

/** The entries of a resource's Operation list. */
export function optionsOf(resource: Readonly<Record<string, Operation>>): INodePropertyOptions[] {
	return Object.values(resource).map(({ option }) => option);
}

/** The fields of all operations, for the node's description. */
export const operationFields: INodeProperties[] = Object.values<Record<string, Operation>>(operations)
	.flatMap((resource) => Object.values(resource))
	.flatMap(({ fields }) => fields);

/**
 * What an agent is told of each operation as a tool: that it costs money, above all. n8n's own text would be the action
 * alone. The human-review version waits and is never told of.
 */
export const toolDescriptionFields = Object.entries<Record<string, Operation>>(operations)
	.flatMap(([resource, table]) => Object.values(table).map(({ option }) => toolDescriptionField(resource, option)))
	.filter(({ displayOptions }) => !displayOptions?.show?.operation?.includes(SEND_AND_WAIT_OPERATION));

function toolDescriptionField(
	resource: string,
	{ value, description: reported }: Operation['option'],
): INodeProperties {
	return {
		displayName: 'Description',
		name: 'toolDescription',
		type: 'string',
		typeOptions: { rows: 2 },
		default: reported,
		required: true,
		description: 'What the agent is told of this tool',
		displayOptions: { show: { '@tool': [true], resource: [resource], operation: [value] } },
	};
}
