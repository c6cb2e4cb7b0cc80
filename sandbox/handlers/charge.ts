import { HttpError } from '../http/httpError';
import type { Acceptance, NewMessage } from '../store/messages';
import { formatMoney, toCurrency } from '../store/money';
import type { Store } from '../store/store';

/** Makes the refusal for a wallet that holds too little; amounts in 1/10000 of the currency. */
export function insufficient(what: string, needed: number, available: number, currency: string): HttpError {
	const costs = `${what} costs ${formatMoney(needed, currency)} and the wallet holds ${formatMoney(available, currency)}.`;
	return new HttpError(422, 'insufficient_balance', `${costs} Nothing was sent or charged.`);
}

/** Keeps and charges a message. @throws Refusal 422 `insufficient_balance` */
export function acceptMessage(store: Store, message: NewMessage): Extract<Acceptance, { accepted: true }> {
	const result = store.messages.accept(message);
	if (result.accepted) return result;
	throw insufficient('The message', message.cost, result.available, result.currency);
}

/** Tells of an accepted message what a send answers (docs/api.md#send-an-sms). */
export function sendOutput({ message, balance }: Extract<Acceptance, { accepted: true }>) {
	return {
		message_id: message.id,
		status: message.status,
		cost: toCurrency(message.cost),
		billed_via: message.package_id === null ? 'wallet' : 'package',
		balance: toCurrency(balance),
	};
}
