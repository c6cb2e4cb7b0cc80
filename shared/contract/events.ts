import { z } from 'zod/v4';
import { identifier, money } from './fields';
import { findFields, isObject, type Aliases } from './find';

/** Something that happens outside and is posted to us. */
export interface EventDefinition<Id extends string = string, Payload extends z.ZodType = z.ZodType> {
	readonly id: Id;
	readonly summary: string;
	/** Parses the posted fields, from JSON or a form, into one shape. */
	readonly payload: Payload;
	readonly example: Readonly<Record<string, unknown>>;
}

/** The payload of an event after parsing. */
export type PayloadOf<E extends EventDefinition> = z.output<E['payload']>;

const text = z.union([z.string(), z.number().transform(String)]);
const party = z.union([z.string(), z.number().transform(String)]).pipe(z.string().trim().min(1));

/** A payload whose keys may stand in several places; keys that are not known are left out. */
function posted<Shape extends Readonly<Record<string, z.ZodType>>>(shape: Shape, aliases: Aliases) {
	return z.preprocess((body) => (isObject(body) ? findFields(body, shape, { aliases }) : body), z.object(shape));
}

/** A text from a phone (docs/api.md#inbound-sms-webhook): `From` or `from`, `To` or `to`, `Message` or `message`. */
export const inboundSms = {
	id: 'sms.inbound',
	summary: 'Somebody texted one of your numbers or sender IDs',
	payload: posted(
		{ from: party, to: party, message: text, message_id: identifier.nullish() },
		{ from: ['From'], to: ['To'], message: ['Message'], message_id: ['MessageId', 'messageId', 'MessageSid', 'id'] },
	),
	example: { from: '+233201234567', to: 'KOFISHOP', message: 'HOURS' },
} satisfies EventDefinition;

/** A WhatsApp message from a person (docs/api.md#inbound-whatsapp-webhook); its payload is not shown there. */
export const inboundWhatsapp = {
	id: 'whatsapp.inbound',
	summary: 'Somebody wrote to your WhatsApp number',
	payload: posted(
		{ from: party, to: party.nullish(), message: text, message_id: identifier.nullish() },
		{
			from: ['From', 'sender', 'wa_id', 'phone'],
			to: ['To', 'recipient'],
			message: ['Message', 'text.body', 'text', 'Body', 'body'],
			message_id: ['MessageId', 'messageId', 'MessageSid', 'id'],
		},
	),
	example: { from: '+233201234567', to: '+233301234567', message: 'Is my order ready?', message_id: 'wa_0001' },
} satisfies EventDefinition;

/** A message changed its status (docs/api.md#delivery-receipts); the payload is not shown there. */
export const deliveryReceipt = {
	id: 'message.status',
	summary: 'A message was sent, delivered or failed',
	payload: posted(
		{
			message_id: identifier,
			status: z.string().trim().toLowerCase().min(1),
			to: party.nullish(),
			channel: z.string().nullish(),
			provider_status: z.string().nullish(),
		},
		{
			message_id: ['id', 'messageId', 'MessageId', 'message.id', 'message.message_id'],
			status: ['Status', 'delivery_status', 'DeliveryStatus', 'message.status'],
			to: ['To', 'recipient', 'phone', 'message.to'],
			channel: ['Channel', 'message.channel'],
			provider_status: ['ProviderStatus', 'message.provider_status'],
		},
	),
	example: { message_id: 'msg_0001', status: 'delivered', to: '+233201234567', channel: 'sms' },
} satisfies EventDefinition;

/**
 * The wallet fell below the limit that is set in the dashboard (docs/api.md#low-balance-alerts); the payload is not
 * shown there.
 */
export const lowBalance = {
	id: 'wallet.low_balance',
	summary: 'The wallet holds less than the limit set in the dashboard',
	payload: posted(
		{ balance: money, threshold: money.nullish(), currency: z.string().nullish() },
		{
			balance: ['Balance', 'wallet.balance', 'current_balance'],
			threshold: ['Threshold', 'limit', 'alert_threshold', 'wallet.threshold'],
			currency: ['Currency', 'wallet.currency'],
		},
	),
	example: { balance: 4.5, threshold: 5, currency: 'GHS' },
} satisfies EventDefinition;
