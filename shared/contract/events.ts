import { z } from 'zod/v4';
import { identifier, money } from './fields';
import { findFields, isObject, type Aliases, type JsonObject } from './find';

/** An event that reaches us as a webhook (docs/api.md#events). */
export interface EventDefinition<Id extends string = string, Payload extends z.ZodType = z.ZodType> {
	readonly id: Id;
	readonly summary: string;
	/** Parses the fields of the webhook, from JSON or a form, into one shape. */
	readonly payload: Payload;
	/** Parses as `payload` does. Returns undefined for another event, without the cost of an error. */
	readonly read: (body: JsonObject) => z.output<Payload> | undefined;
	readonly example: Readonly<Record<string, unknown>>;
}

/**
 * The payload of an event after parsing.
 * @example const inbound: PayloadOf<typeof events.inboundSms> = { from: '+233201234567', to: 'KOFISHOP', message: 'HOURS' };
 */
export type PayloadOf<E extends EventDefinition> = z.output<E['payload']>;

const text = z.union([z.string(), z.number().transform(String)]);
const party = z.union([z.string(), z.number().transform(String)]).pipe(z.string().trim().min(1));

/** A payload whose keys may be in several places. Unknown keys are left out. */
function webhookPayload<Shape extends Readonly<Record<string, z.ZodType>>>(shape: Shape, aliases: Aliases) {
	const fields = z.object(shape);
	const required = Object.keys(shape).filter((key) => shape[key]?.safeParse(undefined).success === false);
	return {
		payload: z.preprocess((body) => (isObject(body) ? findFields(body, shape, { aliases }) : body), fields),
		read(body: JsonObject): z.output<typeof fields> | undefined {
			const found = findFields(body, shape, { aliases });
			if (required.some((key) => found[key] === undefined)) return undefined;
			return fields.safeParse(found).data;
		},
	};
}

/** An inbound SMS (docs/api.md#inbound-sms-webhook): `From` or `from`, `To` or `to`, `Message` or `message`. */
export const inboundSms = {
	id: 'sms.inbound',
	summary: 'Someone sent a message to one of your numbers or sender IDs',
	...webhookPayload(
		{ from: party, to: party, message: text, message_id: identifier.nullish() },
		{ from: ['From'], to: ['To'], message: ['Message'], message_id: ['MessageId', 'messageId', 'MessageSid', 'id'] },
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
			from: ['From', 'sender', 'wa_id', 'phone'],
			to: ['To', 'recipient'],
			message: ['Message', 'text.body', 'text', 'Body', 'body'],
			message_id: ['MessageId', 'messageId', 'MessageSid', 'id'],
		},
	),
	example: { from: '+233201234567', to: '+233301234567', message: 'Is my order ready?', message_id: 'wa_0001' },
} satisfies EventDefinition;

/** A message changed its status. The payload is undocumented (docs/api.md#delivery-receipts). */
export const deliveryReceipt = {
	id: 'message.status',
	summary: 'A message was sent, delivered or failed',
	...webhookPayload(
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

/** The wallet balance fell below a threshold. The payload is undocumented (docs/api.md#low-balance-alerts). */
export const lowBalance = {
	id: 'wallet.low_balance',
	summary: 'The wallet balance is below the threshold set in the dashboard',
	...webhookPayload(
		{ balance: money, threshold: money.nullish(), currency: z.string().nullish() },
		{
			balance: ['Balance', 'wallet.balance', 'current_balance'],
			threshold: ['Threshold', 'limit', 'alert_threshold', 'wallet.threshold'],
			currency: ['Currency', 'wallet.currency'],
		},
	),
	example: { balance: 4.5, threshold: 5, currency: 'GHS' },
} satisfies EventDefinition;
