import { countSegments } from './countSegments';
import { decimalToNumber, divideDecimal, parseDecimal, type Decimal } from './decimal';

/**
 * The source of a price. The API has no price list.
 * @example const price: Price = { perSegment: 0.05 };
 */
export type Price =
	| { readonly perSegment: number | string }
	/** An earlier send of this run: its cost and its number of segments. */
	| { readonly cost: number | string; readonly segmentCount: number };

/** The message, the number of recipients and the price. */
export interface EstimateInput {
	readonly text: string;
	readonly recipients: number;
	readonly price: Price;
	/** Currency of the price, e.g. `GHS`. Only repeated in the estimate. */
	readonly currency?: string;
}

/** Why there is no estimate. `message` is to be read after the name of the field. */
export interface EstimateProblem {
	readonly ok: false;
	readonly field: 'recipients' | 'perSegment' | 'cost' | 'segmentCount';
	readonly problem: 'not_a_count' | 'not_an_amount' | 'no_price' | 'too_large';
	readonly message: string;
}

/**
 * The estimated cost of a message.
 * @example const { cost, cost_basis }: Estimate = estimated;
 */
export interface Estimate {
	readonly ok: true;
	readonly recipients: number;
	readonly segment_count: number;
	readonly total_segments: number;
	/** In currency units. Rounded to 4 decimals if derived from an earlier send. */
	readonly price_per_segment: number;
	/** In currency units, computed in exact decimals. Rounded only if {@link Estimate.cost_basis} says so. */
	readonly cost: number;
	readonly currency?: string;
	readonly basis: 'price_given' | 'earlier_send';
	/** The basis of the cost, in one or two sentences. */
	readonly cost_basis: string;
}

// An inexact division is rounded to a hundredth of a pesewa.
const DECIMALS = 4;
// Numbers with more digits do not print as their exact decimal.
const TOO_LARGE = 10n ** 15n;
const CAVEAT =
	'Package credits, a more expensive priority route and price differences between networks are not included.';

/**
 * Estimates the cost of a message: recipients x segments x price per segment. The price comes from the caller, or from an
 * earlier send of this run.
 * @example
 * const estimated = estimate({ text: 'We are open', recipients: 200, price: { perSegment: 0.05 } });
 * if (estimated.ok) console.log(estimated.cost); // 10
 */
export function estimate(input: EstimateInput): Estimate | EstimateProblem {
	const { text, recipients, price, currency } = input;
	if (!Number.isSafeInteger(recipients) || recipients < 0) {
		return reject('recipients', 'not_a_count', 'must be a whole number: enter it in digits, such as 250');
	}
	const segmentCount = countSegments(text).segment_count;
	const totalSegments = recipients * segmentCount;
	if (!Number.isSafeInteger(totalSegments)) {
		return reject('recipients', 'too_large', 'is too large to calculate: estimate in parts');
	}
	const priced = readPrice(price);
	if ('problem' in priced) return priced;

	const { charged, chargedSegments } = priced;
	const scale = Math.max(DECIMALS, charged.scale);
	const total = { ...charged, digits: charged.digits * BigInt(totalSegments) };
	const cost = divideDecimal(total, chargedSegments, scale);
	if (cost.digits >= TOO_LARGE) {
		return reject('recipients', 'too_large', 'and the price give a total that is too large to calculate: check both');
	}
	const exact = cost.digits * chargedSegments === total.digits * 10n ** BigInt(scale - charged.scale);
	const rounded = exact ? '' : `, rounded to ${scale} decimals`;
	return {
		ok: true,
		recipients,
		segment_count: segmentCount,
		total_segments: totalSegments,
		price_per_segment: decimalToNumber(divideDecimal(charged, chargedSegments, scale)),
		cost: decimalToNumber(cost),
		...(currency === undefined ? {} : { currency }),
		basis: 'perSegment' in price ? 'price_given' : 'earlier_send',
		cost_basis: `Based on ${describePrice(price, charged)}${rounded}. ${CAVEAT}`,
	};
}

function describePrice(price: Price, charged: Decimal): string {
	const amount = decimalToNumber(charged);
	if ('perSegment' in price) return `a price of ${amount} per segment that you gave`;
	const { segmentCount } = price;
	return `an earlier send: ${amount} for ${segmentCount} ${segmentCount === 1 ? 'segment' : 'segments'}`;
}

function readPrice(price: Price): { charged: Decimal; chargedSegments: bigint } | EstimateProblem {
	const field = 'perSegment' in price ? 'perSegment' : 'cost';
	const charged = parseDecimal('perSegment' in price ? price.perSegment : price.cost);
	if (charged === undefined) {
		return reject(field, 'not_an_amount', 'is not an amount: write it with digits and a point, e.g. 0.05');
	}
	if ('perSegment' in price) return { charged, chargedSegments: 1n };
	if (!Number.isSafeInteger(price.segmentCount) || price.segmentCount < 1) {
		return reject('segmentCount', 'not_a_count', 'is not a number of segments: give a whole number, 1 or more');
	}
	// A send paid with package credits costs 0, which says nothing about the price.
	if (charged.digits === 0n) {
		return reject(
			'cost',
			'no_price',
			'is 0, so the price is not known (package credits may have paid): give a price per segment',
		);
	}
	return { charged, chargedSegments: BigInt(price.segmentCount) };
}

function reject(
	field: EstimateProblem['field'],
	problem: EstimateProblem['problem'],
	message: string,
): EstimateProblem {
	return { ok: false, field, problem, message };
}
