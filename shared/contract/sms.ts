import { z } from 'zod/v4';
import { chargeAliases } from './charges';
import { endpoint } from './endpoint';
import { findFields, isObject } from './find';
import { identifier, messageId, messageText, money, mysqlDateTime, phoneNumber, senderIdName } from './fields';
import { messageAliases, messageStatus, sendAliases } from './messageStatus';

const priority = z.boolean().optional().describe('Whether to use the priority route, meant for one-time codes');

const bulkResultFields = {
	to: z.union([z.string(), z.number().transform(String)]).nullish(),
	message_id: identifier.nullish(),
	/** Some services have an object here. */
	status: z.union([z.string(), z.looseObject({})]).nullish(),
};

/** Other places of the fields of a row in a bulk response. */
export const bulkResultAliases = {
	to: [
		...['phone', 'number', 'recipient', 'phone_number', 'phoneNumber', 'msisdn', 'mobile', 'mobile_number', 'contact'],
		...[
			'cell',
			'contact_number',
			'destination',
			'dest',
			'address',
			'receiver',
			'recipient_number',
			'phone_no',
			'mobile_no',
		],
		...['recipient_phone', 'destination_number', 'tel', 'telephone', 'cellphone', 'e164'],
		...['recipient.phone', 'recipient.number', 'to.phone', 'to.number'],
	],
	message_id: ['id', 'messageId'],
	status: ['state'],
};

/** The result for one number in a bulk response (undocumented). A row that cannot be read does not affect the others. */
const bulkResultOf = z.preprocess(
	(row) => (isObject(row) ? findFields(row, bulkResultFields, { aliases: bulkResultAliases, bare: true }) : row),
	z.union([z.looseObject(bulkResultFields), z.string(), z.number(), z.boolean(), z.null()]),
);

const batchIdAliases = ['batchId', 'bulk_id', 'bulkId', 'job_id', 'campaign_id', 'id', 'batch.id'];

/** Words in the name of a list of rows or numbers that say nothing about them: `results`, `total_recipients`. */
export const NUMBER_LISTS: ReadonlySet<string> = new Set([
	...['results', 'result', 'messages', 'message', 'recipients', 'report', 'rows', 'items', 'details', 'list', 'data'],
	...['numbers', 'phones', 'contacts', 'msisdns', 'destinations', 'to', 'of', 'sms', 'total', 'count', 'number'],
	...['response', 'payload', 'batch', 'bulk', 'summary'],
]);

/** Names of the number of a row, without separators. */
const NUMBER_NAMES = new Set(['to', ...bulkResultAliases.to].map(plainName));

function plainName(key: string): string {
	return key.replace(/[^a-z0-9]/gi, '').toLowerCase();
}

/** Whether a key of a row of a bulk response names its number: `to`, `phone_number`, `phoneNumber`. */
export function isNumberName(key: string): boolean {
	return key.length <= 50 && NUMBER_NAMES.has(plainName(key));
}

/** Endpoints of SMS (docs/api.md#sms). */
export const sms = {
	/** Sends one SMS: POST /sms/send (docs/api.md#send-an-sms). */
	send: endpoint({
		id: 'sms.send',
		method: 'POST',
		path: '/sms/send',
		summary: 'Send one SMS under an approved sender ID',
		input: z.object({ to: phoneNumber, sender_id: senderIdName, message: messageText, priority }),
		output: z.looseObject({
			success: z.boolean().optional(),
			message_id: identifier,
			status: z.string().nullish(),
			cost: money.nullish(),
			billed_via: z.string().nullish(),
			balance: money.nullish(),
		}),
		response: { kind: 'record', aliases: sendAliases },
		repeat: 'once',
		charges: 'segment',
		errors: ['validation', 'insufficient_balance', 'opted_out', 'sender_not_approved', 'failed_send'],
		example: {
			input: { to: '+233201234567', sender_id: 'KOFISHOP', message: 'We are open 8 am to 6 pm.' },
			output: {
				success: true,
				message_id: 'msg_0001',
				status: 'submitted',
				cost: 0.05,
				billed_via: 'wallet',
				balance: 39.95,
			},
		},
	}),

	/**
	 * Sends one text to many numbers, now or later: POST /sms/bulk (docs/api.md#send-a-bulk-sms). Its response fields are
	 * undocumented.
	 */
	sendBulk: endpoint({
		id: 'sms.sendBulk',
		method: 'POST',
		path: '/sms/bulk',
		summary: 'Send one text to many numbers, now or at a set time',
		input: z.object({
			to: z.array(phoneNumber).min(1, 'is empty: give at least one phone number'),
			sender_id: senderIdName,
			message: messageText,
			priority,
			schedule_at: mysqlDateTime.optional(),
		}),
		output: z.looseObject({
			success: z.boolean().optional(),
			batch_id: identifier.nullish(),
			status: z.string().nullish(),
			cost: money.nullish(),
			billed_via: z.string().nullish(),
			balance: money.nullish(),
			/** The result for each number, if the service reports it: rows, or lists or rows by number or by result. */
			results: z
				.union([z.array(bulkResultOf).refine((rows) => rows.some(isObject) || rows.length === 0), z.looseObject({})])
				.nullish(),
		}),
		response: {
			kind: 'batch',
			aliases: {
				batch_id: batchIdAliases,
				...chargeAliases,
				results: ['messages', 'recipients'],
			},
		},
		repeat: 'once',
		charges: 'segment',
		errors: ['validation', 'insufficient_balance', 'opted_out', 'sender_not_approved', 'failed_send'],
		hints: {
			unknown:
				'All or part of it may have been accepted and charged. Look for it in the message history of the dashboard before you send it again.',
		},
		example: {
			input: {
				to: ['+233201234567', '+233241234567'],
				sender_id: 'KOFISHOP',
				message: 'We are open on Boxing Day.',
				schedule_at: '2026-12-24 08:30:00',
			},
			output: { success: true, batch_id: 'bulk_0001', status: 'queued', cost: 0.1, balance: 39.9 },
		},
	}),

	/** Gets the delivery status of an SMS: GET /sms/{id} (docs/api.md#get-an-sms). */
	get: endpoint({
		id: 'sms.get',
		method: 'GET',
		path: '/sms/{id}',
		summary: 'Get the delivery status of an SMS',
		input: z.object({ id: messageId }),
		output: messageStatus,
		response: { kind: 'record', aliases: messageAliases },
		repeat: 'safe',
		charges: false,
		errors: ['not_found'],
		example: {
			input: { id: 'msg_0001' },
			output: { message_id: 'msg_0001', status: 'delivered', provider_status: 'DELIVRD', cost: 0.05 },
		},
	}),
} as const;
