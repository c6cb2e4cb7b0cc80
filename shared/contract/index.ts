import * as contact from './contact';
import * as email from './email';
import type { Endpoint } from './endpoint';
import { deliveryReceipt, inboundSms, inboundWhatsapp, lowBalance } from './events';
import * as lookup from './lookup';
import * as message from './message';
import * as senderId from './senderId';
import * as sms from './sms';
import * as verification from './verification';
import * as voice from './voice';
import * as wallet from './wallet';
import * as whatsapp from './whatsapp';

/**
 * Every endpoint of the service, by resource and operation (docs/api.md).
 * @example const outcome = await client.call(contract.sms.get, { id: 'msg_0001' });
 */
export const contract = {
	sms: { send: sms.send, sendBulk: sms.sendBulk, get: sms.get },
	message: { get: message.get },
	verification: { start: verification.start, check: verification.check },
	lookup: { phone: lookup.phone },
	wallet: {
		getBalance: wallet.getBalance,
		createTopUp: wallet.createTopUp,
		getTopUp: wallet.getTopUp,
		listTransactions: wallet.listTransactions,
	},
	senderId: { list: senderId.list },
	contact: { list: contact.list, create: contact.create },
	whatsapp: { send: whatsapp.send },
	email: { send: email.send },
	voice: { send: voice.send },
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
 * @example const paid = endpoints.filter(({ charges }) => charges);
 */
export const endpoints: readonly Endpoint[] = Object.values<Record<string, Endpoint>>(contract).flatMap((resource) =>
	Object.values(resource),
);
