import type { Handler, Handlers } from './handler';
import { message } from './message';
import { senderId } from './senderId';
import { sms } from './sms';
import { wallet } from './wallet';

const table: Handlers = { sms, message, wallet, senderId };

const resources: readonly Readonly<Record<string, Handler>>[] = Object.values(table);

/** The handlers of all endpoints. */
export const handlers: readonly Handler[] = resources.flatMap((resource) => Object.values(resource));
