import { HttpError } from '../http/httpError';
import type { Acceptance, NewMessage } from '../store/messages';
import { formatMoney, toCurrency } from '../store/money';
import type { Store } from '../store/store';

/** Creates the error for an insufficient balance. Amounts are in 1/10000 of the currency. */
export function insufficient(what: string, needed: number, available: number, currency: string): HttpError {
	const costs = `${what} costs ${formatMoney(needed, currency)}, and the balance is ${formatMoney(available, currency)}.`;
	return new HttpError(422, 'insufficient_balance', `${costs} Nothing was sent or charged.`);
}

/** Stores and charges a message. @throws HttpError 422 `insufficient_balance` */
export function acceptMessage(store: Store, message: NewMessage): Extract<Acceptance, { accepted: true }> {
	const result = store.messages.accept(message);
	if (result.accepted) return result;
	throw insufficient('The message', message.cost, result.available, result.currency);
}

/** Converts an accepted message to the response of a send (docs/api.md#send-an-sms). */
export function sendOutput({ message, balance }: Extract<Acceptance, { accepted: true }>) {
	return {
		message_id: message.id,
		status: message.status,
		cost: toCurrency(message.cost),
		billed_via: message.package_id === null ? 'wallet' : 'package',
		balance: toCurrency(balance),
	};
}
