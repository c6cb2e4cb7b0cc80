import type { Endpoint } from './endpoint';
import { inboundSms } from './events';
import * as message from './message';
import * as senderId from './senderId';
import * as sms from './sms';
import * as wallet from './wallet';

/** Every call of the service that we know, as resource and operation (design: one entry, every surface follows). */
export const contract = {
	sms: { send: sms.send, get: sms.get },
	message: { get: message.get },
	wallet: { getBalance: wallet.getBalance },
	senderId: { list: senderId.list },
} as const satisfies Record<string, Record<string, Endpoint>>;

/** The type of {@link contract}. */
export type Contract = typeof contract;

/** Every event that we receive. */
export const events = { inboundSms } as const;

/** All endpoints in one list. */
export const endpoints: readonly Endpoint[] = Object.values<Record<string, Endpoint>>(contract).flatMap((resource) =>
	Object.values(resource),
);
