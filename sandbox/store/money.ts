/** How many stored units make one unit of currency; amounts are whole numbers of 1/10000. */
export const UNITS = 10_000;

/** Turns a stored amount (1/10000 of the currency) into the number that goes on the wire, e.g. 399500 into 39.95. */
export function toCurrency(units: number): number {
	return units / UNITS;
}

/**
 * Turns an amount in currency units into stored ones (1/10000), exactly; what is smaller is rounded to the nearest.
 */
export function toUnits(amount: number): number {
	return Math.round(amount * UNITS);
}

/** Writes a stored amount (1/10000 of the currency) for people, with at least two decimals, e.g. `GHS 39.95`. */
export function formatMoney(units: number, currency: string): string {
	const amount = toCurrency(units)
		.toFixed(4)
		.replace(/0{1,2}$/, '');
	return `${currency} ${amount}`;
}
