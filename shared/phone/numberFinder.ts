/** Maximum number of digits of a country code, which a number may be written without. */
const COUNTRY_DIGITS = 3;

/** Minimum number of digits. Fewer may be a code or an amount. */
export const FEWEST_DIGITS = 7;

/**
 * Creates a search among numbers by the digits of one as a service writes it: in E.164, without the plus, or in national
 * format.
 * @param numbers in E.164
 * @returns a function that returns the only number that ends with the digits; undefined if there is none, or more than one
 */
export function numberFinder(numbers: Iterable<string>): (written: string) => string | undefined {
	const byEnding = new Map<string, Set<string>>();
	for (const number of numbers) {
		const ending = number.slice(-FEWEST_DIGITS);
		const alike = byEnding.get(ending);
		if (alike) alike.add(number);
		else byEnding.set(ending, new Set([number]));
	}
	return (written) => {
		const digits = written.slice(0, 100).replace(/\D/g, '').replace(/^0+/, '');
		const alike = digits.length < FEWEST_DIGITS ? [] : [...(byEnding.get(digits.slice(-FEWEST_DIGITS)) ?? [])];
		const whole = alike.find((number) => number === `+${digits}`);
		if (whole !== undefined) return whole;
		const ends = (number: string) => number.endsWith(digits) && number.length - 1 - digits.length <= COUNTRY_DIGITS;
		const [only, ...others] = alike.filter(ends);
		return others.length === 0 ? only : undefined;
	};
}
