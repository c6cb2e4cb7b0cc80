import { randomBytes } from 'node:crypto';
import { contract } from '../../shared/contract';
import { planDelivery } from '../behaviour/delivery';
import { countSegments, PRICE_PER_SEGMENT } from '../behaviour/price';
import { Refusal } from '../http/refusal';
import { formatMoney, toCurrency } from '../store/money';
import type { Store } from '../store/store';
import { handle, type Handlers } from './handler';
import { findMessage, messageStatus } from './messageStatus';

/** Endpoints of SMS (service.md, Send-SMS request, Send-SMS success response, Message status, Opt-out list). */
export const sms: Handlers['sms'] = {
	send: handle(contract.sms.send, ({ to, sender_id, message, priority = false }, { store, clock }) => {
		requireApproved(store, sender_id);
		if (store.inbox.isOptedOut(to)) {
			throw new Refusal(422, 'opted_out', `${to} has opted out of your texts. Nothing was sent or charged.`);
		}
		const segments = countSegments(message);
		const cost = segments * PRICE_PER_SEGMENT;
		const now = clock.now();
		const result = store.messages.accept({
			id: `msg_${randomBytes(8).toString('hex')}`,
			channel: 'sms',
			recipient: to,
			senderId: sender_id,
			text: message,
			priority,
			segments,
			cost,
			createdAt: now,
			transitions: planDelivery(to, now),
		});
		if (!result.accepted) {
			const needed = formatMoney(cost, result.currency);
			const available = formatMoney(result.available, result.currency);
			throw new Refusal(
				422,
				'insufficient_balance',
				`The message costs ${needed} and the wallet holds ${available}. Nothing was sent or charged.`,
			);
		}
		return {
			message_id: result.message.id,
			status: result.message.status,
			cost: toCurrency(cost),
			billed_via: 'wallet',
			balance: toCurrency(result.balance),
		};
	}),

	get: handle(contract.sms.get, ({ id }, { store }) => messageStatus(findMessage(store, id))),
};

function requireApproved(store: Store, name: string): void {
	const status = store.senderIds.find(name)?.status;
	if (status === 'approved') return;
	const approved = store.senderIds.approved().map((senderId) => senderId.name);
	throw new Refusal(
		422,
		'sender_not_approved',
		`${name} is ${status === 'pending' ? 'still waiting for approval' : 'not a sender ID of your account'}. ` +
			`Approved: ${approved.join(', ')}. Nothing was sent or charged.`,
	);
}
