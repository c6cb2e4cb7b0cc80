/** An exact decimal: `digits` divided by ten to the power of `scale`. */
export interface Decimal {
	readonly digits: bigint;
	readonly scale: number;
}

const DECIMALS = 10;

/**
 * Reads an amount of zero or more exactly as it is written: 0.05 is five hundredths, not the nearest binary fraction.
 * A number with the errors of binary arithmetic (0.1 + 0.2) is read to 10 decimals.
 * @returns undefined unless it has at most 15 digits, and at most 10 decimals after a point
 */
export function parseDecimal(amount: number | string): Decimal | undefined {
	const parsed = parseText(String(amount).trim());
	return parsed === undefined && typeof amount === 'number' ? parseText(amount.toFixed(DECIMALS)) : parsed;
}

function parseText(text: string): Decimal | undefined {
	const match = /^(\d{1,15})(?:\.(\d{1,10}))?$/.exec(text);
	if (match === null) return undefined;
	const [, whole = '', decimals = ''] = match;
	const fraction = decimals.replace(/0+$/, '');
	return { digits: BigInt(whole + fraction), scale: fraction.length };
}

/** The number nearest to a decimal. Prints as the decimal itself up to 15 significant digits. */
export function decimalToNumber({ digits, scale }: Decimal): number {
	const text = digits.toString().padStart(scale + 1, '0');
	return Number(`${text.slice(0, text.length - scale)}.${text.slice(text.length - scale)}`);
}

/** Divides by a whole number, with `scale` decimals, half rounded up. */
export function divideDecimal(dividend: Decimal, divisor: bigint, scale: number): Decimal {
	const numerator = dividend.digits * 10n ** BigInt(Math.max(0, scale - dividend.scale));
	const denominator = divisor * 10n ** BigInt(Math.max(0, dividend.scale - scale));
	return { digits: (2n * numerator + denominator) / (2n * denominator), scale };
}
