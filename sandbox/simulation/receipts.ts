import { magicNumbers } from './magicNumbers';

/** How much later a receipt comes that is to be overtaken by the next one, in milliseconds. */
export const OVERTAKEN_BY_MS = 5000;

/**
 * Says how often a receipt of a status is posted and how long after it, in milliseconds each.
 * @param reordered whether the receipt for `sent` comes late for every number
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
