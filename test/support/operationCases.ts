import type { INodeParameters } from 'n8n-workflow';
import { contract, type Endpoint } from '../../shared';
import {
	numbers,
	dryRun,
	guards,
	guardsOf,
	guardsOfQuestion,
	keyScope,
	maxRecipients,
	priority,
	rate,
	sendingHours,
	sendOnceKey,
	textNumbers,
	wrongAmounts,
	wrongCustomFields,
	wrongIds,
	wrongInList,
	wrongLimit,
	wrongNumbers,
	wrongSender,
	wrongTexts,
	wrongTimes,
} from './n8n/wrongValues';

/** An ordinary number, without an effect in the sandbox. */
export const PHONE = '+233201234567';

/** An operation as the tests use it: in the node, and as a step of the Zapier app. */
export interface OperationCase {
	/** The endpoint that it calls; none for an operation without a request. */
	readonly endpoint?: Endpoint;
	/** The step of the Zapier app that makes the same call, by its kind and key. */
	readonly zapierStep?: `${'creates' | 'searches'}.${string}`;
	/** Fields that are filled in correctly. */
	readonly parameters: INodeParameters;
	/** Other values for a workflow of all operations, such as the ID in the output of another operation. */
	readonly inWorkflow?: INodeParameters;
	/** Fields of its first output row. Absent if the operation waits for a person. */
	readonly row?: object;
	/** Values that it rejects, by field and kind of failure. */
	readonly wrong?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
	/** Options that it rejects, by option and kind of failure. */
	readonly wrongOptions?: Readonly<Record<string, Readonly<Record<string, INodeParameters>>>>;
}

const senderId = { __rl: true, mode: 'name', value: 'KOFISHOP' };
const message = 'We are open from 8 to 18.';
const of = (id: string, field: string) => `={{ $('${id}').first().json.${field} }}`;

/** Every operation of the node, by resource and operation value. */
export const operationCases: Readonly<Record<string, OperationCase>> = {
	'contact.create': {
		endpoint: contract.contact.create,
		zapierStep: 'creates.create_contact',
		parameters: { phone: PHONE, name: 'Ama' },
		row: { name: 'Ama', phone: PHONE },
		wrong: { phone: wrongNumbers },
		wrongOptions: { ...numbers, ...wrongCustomFields },
	},
	'contact.getMany': {
		endpoint: contract.contact.list,
		parameters: {},
		inWorkflow: { limit: 1 },
		row: { phone: PHONE },
		wrong: { limit: { zero: 0, 'not a number': '={{ "all" }}' } },
	},
	'email.send': {
		endpoint: contract.email.send,
		zapierStep: 'creates.send_email',
		parameters: { to: 'ama@example.com', subject: 'Your order', message },
		row: { outcome: 'accepted' },
		wrong: {
			to: { empty: '={{ "" }}', 'a phone number': PHONE, 'no domain': 'ama' },
			subject: { empty: '={{ "" }}' },
			message: { empty: '={{ "" }}' },
		},
		wrongOptions: { ...dryRun, ...rate, maxRecipients, sendOnceKey, keyScope },
	},
	'message.get': {
		endpoint: contract.message.get,
		zapierStep: 'searches.find_message',
		parameters: { messageId: 'msg_1' },
		inWorkflow: { messageId: of('voice.send', 'message_id') },
		row: { channel: 'voice' },
		wrong: { messageId: { ...wrongIds, 'a path': '..' } },
	},
	'message.waitForDelivery': {
		endpoint: contract.message.get,
		parameters: { messageId: 'msg_1', timeLimit: 0 },
		inWorkflow: { messageId: of('sms.send', 'message_id'), timeLimit: 60 },
		row: { status: 'delivered', timed_out: false },
		wrong: { messageId: wrongIds, timeLimit: wrongLimit },
	},
	'phoneNumber.format': {
		parameters: { phone: PHONE },
		inWorkflow: { phone: '020 123 4567' },
		row: { e164: PHONE },
		wrongOptions: numbers,
	},
	'phoneNumber.lookUp': {
		endpoint: contract.lookup.phone,
		zapierStep: 'searches.look_up_phone_number',
		parameters: { phone: PHONE },
		row: { valid: true, country: 'GH' },
		wrong: { phone: wrongNumbers },
		wrongOptions: { ...numbers, ...guardsOf('pricePerLookup'), ...rate },
	},
	'senderId.getMany': {
		endpoint: contract.senderId.list,
		parameters: {},
		row: { status: 'approved' },
		wrong: { limit: { zero: 0, 'not a number': '={{ "all" }}' } },
	},
	'sms.estimateCost': {
		parameters: { message, recipients: 2, pricePerSegment: 0.05 },
		row: { cost: 0.1 },
		wrong: {
			recipients: { negative: -1, half: 1.5, 'not a number': '={{ "all" }}' },
			pricePerSegment: { negative: -1, 'not a number': '={{ "0,05" }}' },
		},
	},
	'sms.send': {
		endpoint: contract.sms.send,
		zapierStep: 'creates.send_sms',
		parameters: { senderId, to: PHONE, message },
		row: { outcome: 'accepted', billed_via: 'wallet' },
		wrong: { senderId: wrongSender, to: wrongNumbers, message: wrongTexts },
		wrongOptions: { ...textNumbers, ...dryRun, ...guards, ...rate, ...priority, ...sendingHours },
	},
	'sms.sendAndWait': {
		endpoint: contract.sms.send,
		parameters: { senderId, to: PHONE, message },
		wrong: { senderId: wrongSender, to: wrongInList, message: wrongTexts },
		wrongOptions: {
			...textNumbers,
			...priority,
			...dryRun,
			...guardsOfQuestion,
			limitWaitTime: {
				zero: {
					limitWaitTime: { values: { limitType: 'afterTimeInterval', resumeAmount: 0, resumeUnit: 'hours' } },
				},
				past: {
					limitWaitTime: { values: { limitType: 'atSpecifiedTime', maxDateAndTime: '2020-01-01T08:00:00Z' } },
				},
				unreadable: { limitWaitTime: { values: { limitType: 'atSpecifiedTime', maxDateAndTime: 'soon' } } },
			},
			reminder: {
				'without a way back': { reminder: { values: {} } },
			},
		},
	},
	'sms.sendBulk': {
		endpoint: contract.sms.sendBulk,
		zapierStep: 'creates.send_bulk_sms',
		parameters: { senderId, to: PHONE, message },
		inWorkflow: { to: '020 123 4567, 020 123 4568' },
		row: { to: PHONE },
		wrong: { senderId: wrongSender, to: wrongInList, message: wrongTexts },
		wrongOptions: {
			...textNumbers,
			...dryRun,
			...guards,
			...rate,
			...priority,
			...sendingHours,
			excludedNumbers: {
				'an entry that is not a number': { excludedNumbers: '0241234567, Kofi' },
				missing: { excludedNumbers: '={{ $json.nothing }}' },
			},
			skipRejectedNumbers: { missing: { skipRejectedNumbers: '={{ $json.nothing }}' } },
			recipientsPerRequest: {
				zero: { recipientsPerRequest: 0 },
				'not a number': { recipientsPerRequest: '={{ "all" }}' },
			},
			sendAt: Object.fromEntries(
				Object.entries({ ...wrongTimes, missing: '={{ $json.nothing }}' }).map(([name, sendAt]) => [name, { sendAt }]),
			),
		},
	},
	'sms.sendLater': {
		endpoint: contract.sms.sendBulk,
		parameters: { senderId, to: PHONE, message, sendAt: '={{ $now.plus({ days: 1 }) }}' },
		inWorkflow: { sendAt: '={{ $now.plus({ days: 1 }).toISO() }}' },
		row: { outcome: 'accepted', total: 1 },
		wrong: {
			senderId: wrongSender,
			to: wrongNumbers,
			message: wrongTexts,
			sendAt: { ...wrongTimes, empty: '={{ "" }}' },
		},
		wrongOptions: { ...textNumbers, ...dryRun, ...guards, ...rate, ...priority, ...sendingHours },
	},
	'verification.check': {
		endpoint: contract.verification.check,
		zapierStep: 'creates.check_verification_code',
		parameters: { verificationId: 1001, code: '493021' },
		inWorkflow: { verificationId: of('verification.start', 'verification_id'), code: '123456' },
		row: { valid: true },
		wrong: { verificationId: { empty: '={{ "" }}', letters: 'abc' }, code: { empty: '={{ "" }}' } },
		wrongOptions: {
			acceptSuccess: {
				missing: { acceptSuccess: '={{ $json.nothing }}' },
				text: { acceptSuccess: '={{ "maybe" }}' },
			},
		},
	},
	'verification.start': {
		endpoint: contract.verification.start,
		zapierStep: 'creates.send_verification_code',
		parameters: { senderId, phone: PHONE },
		row: { outcome: 'accepted' },
		wrong: { senderId: wrongSender, phone: wrongNumbers },
		wrongOptions: { ...textNumbers, ...dryRun, maxRecipients, sendOnceKey, keyScope },
	},
	'voice.send': {
		endpoint: contract.voice.send,
		zapierStep: 'creates.make_voice_call',
		parameters: { to: PHONE, message },
		row: { outcome: 'accepted' },
		wrong: { to: wrongNumbers, message: wrongTexts },
		wrongOptions: { ...numbers, ...dryRun, ...guardsOf('pricePerCall'), ...rate },
	},
	'wallet.createTopUp': {
		endpoint: contract.wallet.createTopUp,
		zapierStep: 'creates.create_wallet_top_up',
		parameters: { amount: 50 },
		row: { fee: 1, total_charged_ghs: 51 },
		wrong: { amount: wrongAmounts },
		wrongOptions: {
			returnUrl: {
				missing: { returnUrl: '={{ $json.nothing }}' },
				'plain http': { returnUrl: 'http://shop.example' },
				'not a URL': { returnUrl: 'shop' },
			},
		},
	},
	'wallet.getBalance': { endpoint: contract.wallet.getBalance, parameters: {}, row: { currency: 'GHS' } },
	'wallet.getManyTransactions': {
		endpoint: contract.wallet.listTransactions,
		parameters: { returnAll: true },
		inWorkflow: { returnAll: false, limit: 1 },
		row: { type: 'debit' },
		wrong: { limit: { zero: 0, 'not a number': '={{ "all" }}', half: 1.5 } },
	},
	'wallet.getTopUp': {
		endpoint: contract.wallet.getTopUp,
		zapierStep: 'searches.find_wallet_top_up',
		parameters: { reference: 'top_1' },
		inWorkflow: { reference: of('wallet.createTopUp', 'reference') },
		row: { status: 'pending' },
		wrong: { reference: wrongIds },
	},
	'wallet.waitForTopUp': {
		endpoint: contract.wallet.getTopUp,
		parameters: { reference: 'top_1', timeLimit: 0 },
		inWorkflow: { reference: of('wallet.createTopUp', 'reference') },
		row: { timed_out: true },
		wrong: { reference: wrongIds, timeLimit: wrongLimit },
	},
	'whatsapp.send': {
		endpoint: contract.whatsapp.send,
		zapierStep: 'creates.send_whatsapp_message',
		parameters: { to: PHONE, message },
		row: { outcome: 'accepted' },
		wrong: { to: wrongNumbers, message: wrongTexts },
		wrongOptions: { ...textNumbers, ...dryRun, ...rate, maxRecipients, sendOnceKey, keyScope },
	},
};

/**
 * The endpoint that an operation of the node calls.
 * @param id its resource and name, such as `sms.send`
 * @returns undefined for an operation without a request
 */
export function endpointOf(id: string): Endpoint | undefined {
	return operationCases[id]?.endpoint;
}

/** Whether a call of an endpoint sends something: a message, or a code by a sender. */
export function sendsSomething({ input }: Endpoint): boolean {
	return 'message' in input.shape || 'sender_id' in input.shape;
}

/** Operations with a limited spend, whose price is for another unit than a segment. */
export const pricedByOwnUnit: readonly string[] = Object.entries(operationCases)
	.filter(
		([, { endpoint, wrongOptions = {} }]) =>
			endpoint?.charges && endpoint.charges !== 'segment' && 'maxSpend' in wrongOptions,
	)
	.map(([id]) => id);
