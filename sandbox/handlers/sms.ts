import { contract } from '../../shared/contract';
import { planDelivery } from '../simulation/deliveryPlan';
import { countChargedSegments, priceOf } from '../simulation/price';
import { acceptMessage, sendOutput } from './charge';
import { handle, type Handlers } from './handler';
import { newId } from '../store/ids';
import { requireMessage, messageStatus } from './message';
import { requireApproved, requireReachable } from './recipient';
import { sendBulk } from './sendBulk';

/** Endpoints of SMS (docs/api.md#sms). */
export const sms: Handlers['sms'] = {
	send: handle(contract.sms.send, ({ to, sender_id, message, priority = false }, { store, clock }) => {
		requireApproved(store, sender_id);
		requireReachable(store, to);
		const segments = countChargedSegments(message);
		const now = clock.now();
		return sendOutput(
			acceptMessage(store, {
				id: newId('msg'),
				channel: 'sms',
				recipient: to,
				senderId: sender_id,
				text: message,
				priority,
				segments,
				cost: segments * priceOf(contract.sms.send),
				createdAt: now,
				transitions: planDelivery(to, now, priority),
			}),
		);
	}),

	sendBulk,

	get: handle(contract.sms.get, ({ id }, { store }) => messageStatus(requireMessage(store, id, 'sms'))),
};
