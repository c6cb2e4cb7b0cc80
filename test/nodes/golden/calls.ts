import type { INodeParameters } from 'n8n-workflow';
import { MessagingService } from '../../../nodes/MessagingService/MessagingService.node';
import { operations } from '../../../nodes/MessagingService/operations';
import type { Operation } from '../../../nodes/MessagingService/runtime/operation';
import { endpointOf } from '../../fixtures/operationEndpoints';

/** An ordinary number, without an effect in the sandbox. */
export const PHONE = '+233201234567';

const senderId = { __rl: true, mode: 'name', value: 'KOFISHOP' };
const message = 'We are open from 8 to 18.';

/** Fields of each operation that calls the service, by resource and operation. */
export const calls: Readonly<Record<string, INodeParameters>> = {
	'contact.create': { phone: PHONE },
	'contact.getMany': {},
	'email.send': { to: 'ama@example.com', subject: 'Your order', message },
	'message.get': { messageId: 'msg_1' },
	'message.waitForDelivery': { messageId: 'msg_1', timeLimit: 0 },
	'phoneNumber.lookUp': { phone: PHONE },
	'senderId.getMany': {},
	'sms.get': { messageId: 'msg_1' },
	'sms.send': { senderId, to: PHONE, message },
	'sms.sendAndWait': { senderId, to: PHONE, message },
	'sms.sendBulk': { senderId, to: PHONE, message },
	'sms.sendLater': { senderId, to: PHONE, message, sendAt: '={{ $now.plus({ days: 1 }) }}' },
	'verification.check': { verificationId: 1001, code: '493021' },
	'verification.start': { senderId, phone: PHONE },
	'voice.send': { to: PHONE, message },
	'wallet.createTopUp': { amount: 50 },
	'wallet.getBalance': {},
	'wallet.getManyTransactions': { returnAll: true },
	'wallet.getTopUp': { reference: 'top_1' },
	'wallet.waitForTopUp': { reference: 'top_1', timeLimit: 0 },
	'whatsapp.send': { to: PHONE, message },
};

/** Operations that cost money. */
export const charging: readonly string[] = Object.keys(calls).filter((id) => endpointOf(id)?.charges);

/** Operations that never call the service. */
export const local: Readonly<Record<string, INodeParameters>> = {
	'phoneNumber.format': { phone: PHONE },
	'text.estimateCost': { message, recipients: 1, pricePerSegment: 0.05 },
};

/** Parameters of an operation with its fields filled in. */
export function parametersOf(id: string, more: INodeParameters = {}): INodeParameters {
	const [resource = '', operation = ''] = id.split('.');
	return { resource, operation, ...calls[id], ...local[id], ...more };
}

const resourceNames = new Map(
	new MessagingService().description.properties
		.filter(({ name }) => name === 'resource')
		.flatMap(({ options = [] }) => options)
		.map((option) => ['value' in option ? String(option.value) : '', option.name]),
);

/** The name of an operation in the editor. */
export function nameOf(id: string): string {
	const [resource = '', operation = ''] = id.split('.');
	return `${resourceNames.get(resource)} > ${operationOf(id).option.name}${operation === '' ? '?' : ''}`;
}

/** The definition of an operation. */
export function operationOf(id: string): Operation {
	const [resource = '', operation = ''] = id.split('.');
	const found = Object.entries<Record<string, Operation>>(operations).find(([name]) => name === resource)?.[1];
	const one = found?.[operation];
	if (!one) throw new Error(`There is no operation ${id}`);
	return one;
}
