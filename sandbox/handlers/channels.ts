import { contract } from '../../shared/contract';
import { planDelivery } from '../simulation/deliveryPlan';
import { priceOf } from '../simulation/price';
import type { Services } from '../services';
import type { Message } from '../store/messageRows';
import { acceptMessage, sendOutput } from './charge';
import { handle, type Handlers } from './handler';
import { newId } from '../store/ids';
import { requireReachable } from './recipient';

/** Senders of the account's messages on channels other than SMS. */
export const SENDERS = { whatsapp: '+233301234567', email: 'hello@kofishop.example', voice: '+233301234567' } as const;

type Channel = keyof typeof SENDERS;

function send({ store, clock }: Services, channel: Channel, to: string, text: string, subject?: string) {
	if (channel !== 'email') requireReachable(store, to);
	const now = clock.now();
	return sendOutput(
		acceptMessage(store, {
			id: newId('msg'),
			channel: channel satisfies Message['channel'],
			recipient: to,
			senderId: SENDERS[channel],
			...(subject !== undefined && { subject }),
			text,
			priority: false,
			segments: 1,
			cost: priceOf(contract[channel].send),
			createdAt: now,
			transitions: planDelivery(to, now, false),
		}),
	);
}

/** WhatsApp (docs/api.md#send-a-whatsapp-message). */
export const whatsapp: Handlers['whatsapp'] = {
	send: handle(contract.whatsapp.send, ({ to, message }, services) => send(services, 'whatsapp', to, message)),
};

/** Email (docs/api.md#send-an-email). */
export const email: Handlers['email'] = {
	send: handle(contract.email.send, ({ to, subject, message }, services) =>
		send(services, 'email', to, message, subject),
	),
};

/** Voice (docs/api.md#send-a-voice-message). */
export const voice: Handlers['voice'] = {
	send: handle(contract.voice.send, ({ to, message }, services) => send(services, 'voice', to, message)),
};
