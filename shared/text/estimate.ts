import { countSegments } from './countSegments';
import { decimalToNumber, divideDecimal, parseDecimal, type Decimal } from './decimal';

/** What a price is known from; the interface has no price list to ask. */
export type Price =
	| { readonly perSegment: number | string }
	/** A send already made in this run: what the service charged for it, and how many segments it had. */
	| { readonly cost: number | string; readonly segmentCount: number };

/** What is to be sent to how many. */
export interface EstimateInput {
	readonly text: string;
	readonly recipients: number;
	readonly price: Price;
	/** Currency of the price, e.g. `GHS`; only repeated in the answer. */
	readonly currency?: string;
}

/** Why there is no estimate; `message` is to be read after the name of the field that `field` stands for. */
export interface EstimateProblem {
	readonly ok: false;
	readonly field: 'recipients' | 'perSegment' | 'cost' | 'segmentCount';
	readonly problem: 'not_a_count' | 'not_an_amount' | 'no_price' | 'too_large';
	readonly message: string;
}

/** What sending a text is likely to cost. */
export interface Estimate {
	readonly ok: true;
	readonly recipients: number;
	readonly segment_count: number;
	readonly total_segments: number;
	/** In currency units; of an earlier send, rounded to 4 decimals. */
	readonly price_per_segment: number;
	/** In currency units, computed in exact decimals; rounded only where {@link Estimate.cost_basis} says so. */
	readonly cost: number;
	readonly currency?: string;
	readonly basis: 'price_given' | 'earlier_send';
	/** What the cost is based on, one or two sentences. */
	readonly cost_basis: string;
}

// Where a division does not come out, amounts end at a hundredth of a pesewa.
const DECIMALS = 4;
// Numbers of more digits do not print as the decimal that they stand for.
const TOO_LARGE = 10n ** 15n;
const CAVEAT = 'Package credits, a dearer priority route and differing prices of networks are not in it.';

/**
 * Estimates what a text to many costs: recipients x segments x price of a segment. The price is one that the caller
 * knows, or comes from a send already made in this run.
 */
export function estimate(input: EstimateInput): Estimate | EstimateProblem {
	const { text, recipients, price, currency } = input;
	if (!Number.isSafeInteger(recipients) || recipients < 0) {
		return refuse('recipients', 'not_a_count', 'is not a number of recipients: give a whole number, 0 or more');
	}
	const segmentCount = countSegments(text).segment_count;
	const totalSegments = recipients * segmentCount;
	if (!Number.isSafeInteger(totalSegments)) {
		return refuse('recipients', 'too_large', 'is too large to compute with: estimate in parts');
	}
	const priced = readPrice(price);
	if ('problem' in priced) return priced;

	const { charged, chargedSegments } = priced;
	const scale = Math.max(DECIMALS, charged.scale);
	const total = { ...charged, digits: charged.digits * BigInt(totalSegments) };
	const cost = divideDecimal(total, chargedSegments, scale);
	if (cost.digits >= TOO_LARGE) {
		return refuse(
			'recipients',
			'too_large',
			'and the price make an amount too large to compute with: estimate in parts',
		);
	}
	const exact = cost.digits * chargedSegments === total.digits * 10n ** BigInt(scale - charged.scale);
	const rounded = exact ? '' : `; rounded to ${scale} decimals`;
	return {
		ok: true,
		recipients,
		segment_count: segmentCount,
		total_segments: totalSegments,
		price_per_segment: decimalToNumber(divideDecimal(charged, chargedSegments, scale)),
		cost: decimalToNumber(cost),
		...(currency === undefined ? {} : { currency }),
		basis: 'perSegment' in price ? 'price_given' : 'earlier_send',
		cost_basis: `Based on ${wordPrice(price, charged)}${rounded}. ${CAVEAT}`,
	};
}

function wordPrice(price: Price, charged: Decimal): string {
	const amount = decimalToNumber(charged);
	if ('perSegment' in price) return `a price of ${amount} per segment that you gave`;
	const { segmentCount } = price;
	return `a send made before: ${amount} for ${segmentCount} ${segmentCount === 1 ? 'segment' : 'segments'}`;
}

function readPrice(price: Price): { charged: Decimal; chargedSegments: bigint } | EstimateProblem {
	const field = 'perSegment' in price ? 'perSegment' : 'cost';
	const charged = parseDecimal('perSegment' in price ? price.perSegment : price.cost);
	if (charged === undefined) {
		return refuse(field, 'not_an_amount', 'is not an amount: write it with digits and a point, e.g. 0.05');
	}
	if ('perSegment' in price) return { charged, chargedSegments: 1n };
	if (!Number.isSafeInteger(price.segmentCount) || price.segmentCount < 1) {
		return refuse('segmentCount', 'not_a_count', 'is not a number of segments: give a whole number, 1 or more');
	}
	// A send that package credits paid for costs 0, and so tells nothing about the price.
	if (charged.digits === 0n) {
		return refuse(
			'cost',
			'no_price',
			'is 0, so it tells no price (package credits may have paid): give a price per segment',
		);
	}
	return { charged, chargedSegments: BigInt(price.segmentCount) };
}

function refuse(
	field: EstimateProblem['field'],
	problem: EstimateProblem['problem'],
	message: string,
): EstimateProblem {
	return { ok: false, field, problem, message };
}
