import { contact } from './contact';
import { email } from './email';
import type { Endpoint } from './endpoint';
import { deliveryReceipt, inboundSms, inboundWhatsapp, lowBalance } from './events';
import { lookup } from './lookup';
import { message } from './message';
import { senderId } from './senderId';
import { sms } from './sms';
import { verification } from './verification';
import { voice } from './voice';
import { wallet } from './wallet';
import { whatsapp } from './whatsapp';

/**
 * Every endpoint of the service, by resource and operation (docs/api.md).
 * @example const outcome = await client.call(contract.sms.get, { id: 'msg_0001' });
 */
export const contract = {
	sms,
	message,
	verification,
	lookup,
	wallet,
	senderId,
	contact,
	whatsapp,
	email,
	voice,
} as const satisfies Record<string, Record<string, Endpoint>>;

/**
 * The type of {@link contract}.
 * @example type Resource = keyof Contract; // 'sms' | 'message' | ...
 */
export type Contract = typeof contract;

/**
 * Every event that a webhook receives (docs/api.md#events).
 * @example const parsed = events.inboundSms.payload.safeParse(body);
 */
export const events = { inboundSms, inboundWhatsapp, deliveryReceipt, lowBalance } as const;

/**
 * All endpoints in one list.
 * @example const paid = endpoints.filter(({ charges }) => charges !== false);
 */
export const endpoints: readonly Endpoint[] = Object.values<Record<string, Endpoint>>(contract).flatMap((resource) =>
	Object.values(resource),
);
