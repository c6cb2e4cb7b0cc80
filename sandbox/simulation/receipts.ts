import { magicNumbers } from './magicNumbers';

/** Delay of a receipt that the next one overtakes, in milliseconds. */
export const OVERTAKEN_BY_MS = 5000;

/**
 * Returns the delay of each receipt for a status, in milliseconds.
 * @param reordered whether the receipt for `sent` is late for every number
 */
export function planReceipts(to: string, status: string, reordered: boolean): readonly number[] {
	switch (to) {
		case magicNumbers.noReceipt:
			return [];
		case magicNumbers.receiptThreeTimes:
			return [0, 0, 0];
		default:
			return [status === 'sent' && (reordered || to === magicNumbers.receiptsOutOfOrder) ? OVERTAKEN_BY_MS : 0];
	}
}
