import type { PaidChannel } from './channels';

/** Amounts are added up as whole numbers of 1/10000 of the currency, because decimals do not add up exactly. */
const UNITS = 10_000;

/** Whether a request may leave. */
export type Permission = { readonly allowed: true } | { readonly allowed: false; readonly why: string };

/** Keeps the paid requests within `--max-spend`. */
export interface Budget {
	/**
	 * Decides about a request before it leaves. Its most possible cost is the given price. Without one, it is the whole balance,
	 * because a prepaid wallet cannot pay more than it has. A wallet below zero can, so the cost is then unknown.
	 * @param balance in currency units; undefined if it cannot be read
	 */
	permit(channel: PaidChannel, balance: number | undefined): Permission;
	/**
	 * Counts a request that left.
	 * @param cost in currency units, as the service reported it. undefined = unknown, which counts as the most possible cost
	 */
	spend(channel: PaidChannel, cost: number | undefined, balance: number | undefined): void;
}

/**
 * Creates a budget.
 * @param maxSpend in currency units
 * @param prices highest price of one request by channel, in currency units, as the user knows it
 */
export function createBudget(maxSpend: number, prices: Readonly<Partial<Record<PaidChannel, number>>>): Budget {
	let left = Math.floor(maxSpend * UNITS + 1e-6);
	let broken: string | undefined;
	const most = (channel: PaidChannel, balance: number | undefined) => {
		const amount = prices[channel] ?? balance;
		return amount === undefined || amount < 0 ? undefined : Math.ceil(amount * UNITS - 1e-6);
	};
	return {
		permit(channel, balance) {
			if (broken !== undefined) return { allowed: false, why: broken };
			const price = prices[channel];
			if (price !== undefined && balance !== undefined && balance < price) {
				return { allowed: false, why: 'The balance is lower than the price.' };
			}
			const bound = most(channel, balance);
			if (bound !== undefined && bound <= left) return { allowed: true };
			const why =
				price === undefined
					? `Its price is unknown and could exceed --max-spend. Add --prices ${channel}=PRICE.`
					: 'Its price exceeds the rest of --max-spend.';
			return { allowed: false, why };
		},
		spend(channel, cost, balance) {
			const bound = most(channel, balance) ?? left;
			const spent = cost === undefined ? bound : Math.ceil(cost * UNITS - 1e-6);
			if (spent > bound) broken = 'An earlier message cost more than its price in --prices.';
			left -= spent;
		},
	};
}
