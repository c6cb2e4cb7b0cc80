import type { IDataObject } from 'n8n-workflow';
import { z } from 'zod/v4';
import type { SinceMark } from './recovery';
import type { Limit } from './walletSettings';

/** So far above the limit the wallet must be before it can fall below it anew: amounts that swing round it fire once. */
const RECOVERED = 1.1;

/** Amounts come as binary fractions; this much is no difference. */
const TOLERANCE = 1e-9;

const kept = z.object({
	limit: z.number(),
	armed: z.boolean(),
	/** Key of the transaction that was the newest when the wallet was last seen low. */
	mark: z.string().optional(),
});

/** What is remembered of the wallet between polls, in n8n's static data. */
export type LowBalanceState = z.output<typeof kept>;

/** Reads what was remembered; nothing where it cannot be read. */
export function readLowBalanceState(stored: unknown): LowBalanceState | undefined {
	const { data } = kept.safeParse(stored);
	return data;
}

/**
 * Judges a balance: it fires when it is first seen below the limit, and again only after it was 10 % above. Another
 * limit begins from the start.
 * @param since what the transactions show since the mark, where they were read
 */
export function judgeBalance(
	balance: number,
	limit: Limit,
	before: LowBalanceState | undefined,
	since?: SinceMark,
): { readonly fires: boolean; readonly after: LowBalanceState } {
	const highest = Math.max(balance, since?.highest ?? balance);
	const armed = before?.limit !== limit.balance || before.armed || highest + TOLERANCE >= limit.balance * RECOVERED;
	const fires = armed && isLow(balance, limit);
	return { fires, after: { limit: limit.balance, armed: armed && !fires, mark: since?.newest ?? before?.mark } };
}

/** Whether a balance is below the limit. */
export function isLow(balance: number, limit: Limit): boolean {
	return balance + TOLERANCE < limit.balance;
}

/** The item of a balance, with the same event and keys as the alert that the service posts. */
export function balanceItem(balance: number, currency: string | null, limit: Limit): IDataObject {
	const { pricePerSegment } = limit;
	return {
		event: 'wallet.low_balance',
		balance,
		threshold: limit.balance,
		currency,
		messages_left: pricePerSegment === undefined ? null : Math.floor(balance / pricePerSegment + TOLERANCE),
		low: isLow(balance, limit),
		confirmed: true,
	};
}
