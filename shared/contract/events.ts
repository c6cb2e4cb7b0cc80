import { z } from 'zod/v4';
import { identifier, money } from './fields';
import { findFields, isObject, type Aliases, type JsonObject } from './find';
import { plainKey, plainKeys } from './plainKeys';

/** An event that reaches us as a webhook (docs/api.md#events). */
export interface EventDefinition<Id extends string = string, Payload extends z.ZodType = z.ZodType> {
	readonly id: Id;
	readonly summary: string;
	/** Parses the fields of the webhook, from JSON or a form, into one shape. */
	readonly payload: Payload;
	/**
	 * Parses as `payload` does, from a body with {@link plainKeys} and what its envelope says about all records. Returns
	 * undefined for another event, without the cost of an error.
	 */
	readonly read: (body: JsonObject, around?: JsonObject) => z.output<Payload> | undefined;
	readonly example: Readonly<Record<string, unknown>>;
}

/** The payload of an event after parsing. */
export type PayloadOf<E extends EventDefinition> = z.output<E['payload']>;

const text = z.union([z.string(), z.number().transform(String)]);
const party = z.union([z.string(), z.number().transform(String)]).pipe(z.string().trim().min(1));

/**
 * A payload whose keys may be in several places, in any spelling. Unknown keys are left out.
 * @param aliases other names of a key. In a body with several events, the envelope supplies a key that a record lacks
 * @param nearest keys of a message. If the top of the body is a message by itself, a wrapper supplies only missing fields
 */
function webhookPayload<Shape extends Readonly<Record<string, z.ZodType>>>(
	shape: Shape,
	aliases: Aliases,
	nearest: readonly string[] = [],
) {
	const fields = z.object(shape);
	const keys = Object.keys(shape);
	const required = keys.filter((key) => shape[key]?.safeParse(undefined).success === false);
	const plain = Object.fromEntries(keys.map((key) => [key, [key, ...(aliases[key] ?? [])].map(plainKey)]));
	const find = (body: JsonObject, bare = false): JsonObject => {
		const found = findFields(body, shape, { aliases: plain, bare, nearest });
		if (bare || nearest.length === 0) return found;
		const top = find(body, true);
		return isDocumented(body) || nearest.every((key) => top[key] !== undefined) ? { ...found, ...top } : found;
	};
	return {
		payload: z.preprocess((body) => (isObject(body) ? find(plainKeys(body)) : body), fields),
		read(body: JsonObject, around: JsonObject = {}): z.output<typeof fields> | undefined {
			const found = find(body);
			if (Object.keys(around).length > 0) Object.assign(found, { ...find(around, true), ...found });
			if (required.some((key) => found[key] === undefined)) return undefined;
			return fields.safeParse(found).data;
		},
	};
}

/** Keys with the ID of a message. An `id` may belong to any record. */
export const MESSAGE_IDS: readonly string[] = [
	...['message_id', 'msg_id', 'sms_id', 'message_sid', 'sms_message_sid', 'sms_sid', 'message_uuid'],
	...['inbound_message_id', 'api_message_id', 'message_reference', 'wamid'],
];

const messageIds = [...MESSAGE_IDS, 'message.id', 'message.message_id', 'uuid', 'guid', 'id'];

const from = [
	...['sender', 'from_number', 'sender_number', 'msisdn', 'phone', 'phone_number', 'mobile', 'mobile_number'],
	...['source', 'source_number', 'source_address', 'origination_number', 'originator', 'sender_id', 'sender_address'],
	'contact',
	...['from.phone_number', 'from.number', 'from.id', 'sender.phone', 'sender.number', 'contact.msisdn'],
];

const to = [
	...['recipient', 'receiver', 'to_number', 'recipient_number', 'receiver_number', 'recipient_id', 'recipient_phone'],
	...['destination', 'destination_number', 'destination_address', 'short_code', 'owner'],
	...['to.phone_number', 'to.number', 'to.id'],
];

const words = [
	...['text', 'body', 'content', 'message_text', 'message_body', 'message_content', 'text_message', 'sms_text'],
	...['msg', 'payload', 'text.body', 'content.text', 'message.text', 'message.content'],
	...['message.text.body', 'message.content.text', 'message.content.text.body', 'message.body'],
];

const NEAREST = ['from', 'to', 'message'];

/** Whether the top of a body has the documented sender and text. */
function isDocumented({ from: sender, message }: JsonObject): boolean {
	return party.safeParse(sender).success && text.safeParse(message).success;
}

/** An inbound SMS (docs/api.md#inbound-sms-webhook): `From` or `from`, `To` or `to`, `Message` or `message`. */
export const inboundSms = {
	id: 'sms.inbound',
	summary: 'Someone sent a message to one of your numbers or sender IDs',
	...webhookPayload(
		{ from: party, to: party, message: text, message_id: identifier.nullish() },
		{ from, to, message: words, message_id: messageIds },
		NEAREST,
	),
	example: { from: '+233201234567', to: 'KOFISHOP', message: 'HOURS' },
} satisfies EventDefinition;

/** An inbound WhatsApp message. Its payload is undocumented (docs/api.md#inbound-whatsapp-webhook). */
export const inboundWhatsapp = {
	id: 'whatsapp.inbound',
	summary: 'Someone sent a message to your WhatsApp number',
	...webhookPayload(
		{ from: party, to: party.nullish(), message: text, message_id: identifier.nullish() },
		{
			from: [...from, 'wa_id', 'contacts.wa_id'],
			to: [...to, 'metadata.display_phone_number'],
			message: [
				...words,
				// The other messages of WhatsApp Cloud that have words.
				...['button.text', 'interactive.button_reply.title', 'interactive.list_reply.title', 'reaction.emoji'],
				...['image.caption', 'video.caption', 'document.caption'],
			],
			message_id: messageIds,
		},
		NEAREST,
	),
	example: { from: '+233201234567', to: '+233301234567', message: 'Is my order ready?', message_id: 'wa_0001' },
} satisfies EventDefinition;

/** The first part of a status with an explanation, such as `DELIVERED | Message delivered to handset`. */
const status = z
	.string()
	.transform((value) => (value.split('|', 1)[0] ?? '').trim().toLowerCase())
	.pipe(z.string().min(1));

/** A message changed its status. The payload is undocumented (docs/api.md#delivery-receipts). */
export const deliveryReceipt = {
	id: 'message.status',
	summary: 'A message was sent, delivered or failed',
	...webhookPayload(
		{
			message_id: identifier,
			status,
			to: party.nullish(),
			channel: z.string().nullish(),
			provider_status: z.string().nullish(),
		},
		{
			message_id: [...messageIds, 'batch_id', 'bulk_id'],
			status: [
				...['message_status', 'sms_status', 'delivery_status', 'dlr_status', 'message.status'],
				...['status.group_name', 'status.name', 'status.status', 'message.status.group_name', 'message.status.name'],
			],
			to: [...to, 'phone', 'phone_number', 'mobile', 'mobile_number', 'msisdn', 'message.to'],
			channel: ['message.channel', 'messaging_product'],
			provider_status: ['message.provider_status', 'status.name'],
		},
	),
	example: { message_id: 'msg_0001', status: 'delivered', to: '+233201234567', channel: 'sms' },
} satisfies EventDefinition;

/** The wallet balance fell below a threshold. The payload is undocumented (docs/api.md#low-balance-alerts). */
export const lowBalance = {
	id: 'wallet.low_balance',
	summary: 'The wallet balance is below the threshold set in the dashboard',
	...webhookPayload(
		{ balance: money, threshold: money.nullish(), currency: z.string().nullish() },
		{
			balance: ['wallet.balance', 'current_balance'],
			threshold: ['limit', 'alert_threshold', 'wallet.threshold'],
			currency: ['wallet.currency'],
		},
	),
	example: { balance: 4.5, threshold: 5, currency: 'GHS' },
} satisfies EventDefinition;
