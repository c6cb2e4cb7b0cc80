import { contract } from '../../shared/contract';
import { planDelivery } from '../behaviour/deliveryPlan';
import { countSegments, PRICE_PER_SEGMENT } from '../behaviour/price';
import { acceptMessage, sendAnswer } from './charge';
import { handle, type Handlers } from './handler';
import { newId } from './ids';
import { findMessage, messageStatus } from './messageStatus';
import { requireApproved, requireReachable } from './recipient';
import { sendBulk } from './sendBulk';

/** Endpoints of SMS (service.md, Send-SMS request, Bulk-send request, Message status, Opt-out list). */
export const sms: Handlers['sms'] = {
	send: handle(contract.sms.send, ({ to, sender_id, message, priority = false }, { store, clock }) => {
		requireApproved(store, sender_id);
		requireReachable(store, to);
		const segments = countSegments(message);
		const now = clock.now();
		return sendAnswer(
			acceptMessage(store, {
				id: newId('msg'),
				channel: 'sms',
				recipient: to,
				senderId: sender_id,
				text: message,
				priority,
				segments,
				cost: segments * PRICE_PER_SEGMENT,
				createdAt: now,
				transitions: planDelivery(to, now, priority),
			}),
		);
	}),

	sendBulk,

	get: handle(contract.sms.get, ({ id }, { store }) => messageStatus(findMessage(store, id, 'sms'))),
};
