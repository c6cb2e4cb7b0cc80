import type { IDataObject } from 'n8n-workflow';
import { z } from 'zod/v4';
import type { SinceMark } from './recovery';
import type { Threshold } from './walletSettings';

/**
 * The balance must reach this multiple of the threshold before the event can fire again. So a balance that moves around
 * the threshold fires once.
 */
const RECOVERED = 1.1;

/** Amounts are binary fractions. Differences up to this size are ignored. */
const TOLERANCE = 1e-9;

const kept = z.object({
	limit: z.number(),
	armed: z.boolean(),
	/** Key of the newest transaction when the balance was last seen low. */
	mark: z.string().optional(),
});

/** The state of the low-balance event between polls, in n8n's static data. */
export type LowBalanceState = z.output<typeof kept>;

/** Reads the stored state; undefined if it cannot be read. */
export function readLowBalanceState(stored: unknown): LowBalanceState | undefined {
	const { data } = kept.safeParse(stored);
	return data;
}

/**
 * Decides whether a balance fires the event. It fires when the balance is first seen below the threshold, and again
 * only after it was 10% above. A changed threshold starts over.
 * @param since what the transactions show since the mark, if they were read
 */
export function judgeBalance(
	balance: number,
	threshold: Threshold,
	before: LowBalanceState | undefined,
	since?: SinceMark,
): { readonly fires: boolean; readonly after: LowBalanceState } {
	const highest = Math.max(balance, since?.highest ?? balance);
	const armed =
		before?.limit !== threshold.balance || before.armed || highest + TOLERANCE >= threshold.balance * RECOVERED;
	const fires = armed && isLow(balance, threshold);
	return { fires, after: { limit: threshold.balance, armed: armed && !fires, mark: since?.newest ?? before?.mark } };
}

/** Whether a balance is below the threshold. */
export function isLow(balance: number, threshold: Threshold): boolean {
	return balance + TOLERANCE < threshold.balance;
}

/** Makes the item of a balance, with the event and keys of the service's low-balance alert. */
export function balanceItem(balance: number, currency: string | null, threshold: Threshold): IDataObject {
	const { pricePerSegment } = threshold;
	return {
		event: 'wallet.low_balance',
		balance,
		threshold: threshold.balance,
		currency,
		messages_left: pricePerSegment === undefined ? null : Math.floor(balance / pricePerSegment + TOLERANCE),
		low: isLow(balance, threshold),
	};
}
