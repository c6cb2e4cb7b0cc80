/** Stored units per currency unit. Stored amounts are whole numbers of 1/10000. */
export const UNITS = 10_000;

/** Converts a stored amount (1/10000 of the currency) to currency units for the API, e.g. 399500 to 39.95. */
export function toCurrency(units: number): number {
	return units / UNITS;
}

/** Converts currency units to a stored amount (1/10000), rounded to the nearest. */
export function toUnits(amount: number): number {
	return Math.round(amount * UNITS);
}

/** Formats a stored amount (1/10000 of the currency) for users, with at least two decimals, e.g. `GHS 39.95`. */
export function formatMoney(units: number, currency: string): string {
	const amount = toCurrency(units)
		.toFixed(4)
		.replace(/0{1,2}$/, '');
	return `${currency} ${amount}`;
}
