import { magicNumbers } from '../magicNumbers';
import type { Callbacks } from './callbacks';
import type { Message } from './messageRows';
import { toCurrency } from './money';
import type { Settings } from './settings';
import type { WalletState } from './wallet';

/**
 * Adds receipts and alerts to the callbacks, in the transaction of the event. So none is lost, and none reports a
 * change that was rolled back. Does nothing if no callback URL is set.
 */
export interface Outbox {
	/** Whether a callback URL is set. */
	isOpen(): boolean;
	/** @param now milliseconds since 1970 UTC */
	messageStatus(message: Message, now: number): void;
	/**
	 * Adds one alert when the balance falls below the threshold, and another only after the balance has risen well
	 * above it.
	 */
	balance(state: WalletState, now: number): void;
}

/** Factor of the threshold that the balance must reach before the next alert, so that small changes alert only once. */
const REARM = 1.1;

/** Delay of a receipt that the next one overtakes, in milliseconds. */
export const OVERTAKEN_BY_MS = 5000;

/** Creates the outbox of a store. */
export function createOutbox(callbacks: Callbacks, settings: Settings): Outbox {
	function add(
		event: 'message.status' | 'wallet.low_balance',
		fact: Readonly<Record<string, string | number>>,
		messageId: string | null,
		now: number,
		delays: readonly number[],
	): void {
		const { callback_url: url, callback_copies, callback_delay } = settings.read();
		if (url === null) return;
		for (const delay of delays.flatMap((one) => Array.from({ length: callback_copies }, () => one))) {
			const due_at = now + callback_delay + delay;
			callbacks.add({ event, fact: { ...fact }, message_id: messageId, url, due_at, created_at: now });
		}
	}

	return {
		isOpen: () => settings.read().callback_url !== null,
		messageStatus: ({ id, status, channel, recipient, sender_id, cost }, now) => {
			const { callback_reordered } = settings.read();
			const fact = { message_id: id, status, channel, to: recipient, sender_id, cost: toCurrency(cost), at: now };
			add('message.status', fact, id, now, planReceipts(recipient, status, callback_reordered));
		},
		balance: ({ balance, currency }, now) => {
			const { low_balance_threshold: threshold } = settings.read();
			if (threshold === null) return;
			const alerted = settings.lowBalanceAlerted();
			const amount = toCurrency(balance);
			if (!alerted && amount < threshold) {
				settings.saveLowBalanceAlerted(true);
				add('wallet.low_balance', { balance: amount, threshold, currency, at: now }, null, now, [0]);
			}
			if (alerted && amount >= threshold * REARM) settings.saveLowBalanceAlerted(false);
		},
	};
}

/**
 * Returns the delay of each receipt for a status, in milliseconds.
 * @param reordered whether the receipt for `sent` is late for every number
 */
function planReceipts(to: string, status: string, reordered: boolean): readonly number[] {
	switch (to) {
		case magicNumbers.noReceipt:
			return [];
		case magicNumbers.receiptThreeTimes:
			return [0, 0, 0];
		default:
			return [status === 'sent' && (reordered || to === magicNumbers.receiptsOutOfOrder) ? OVERTAKEN_BY_MS : 0];
	}
}
