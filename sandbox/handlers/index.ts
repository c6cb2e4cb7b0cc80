import { email, voice, whatsapp } from './channels';
import { contact } from './contact';
import type { Handler, Handlers } from './handler';
import { lookup } from './lookup';
import { message } from './message';
import { senderId } from './senderId';
import { sms } from './sms';
import { verification } from './verification';
import { wallet } from './wallet';

const table: Handlers = { sms, message, verification, lookup, wallet, senderId, contact, whatsapp, email, voice };

const resources: readonly Readonly<Record<string, Handler>>[] = Object.values(table);

/** Handlers of all endpoints. */
export const handlers: readonly Handler[] = resources.flatMap((resource) => Object.values(resource));
