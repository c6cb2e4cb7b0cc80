import { SegmentedMessage } from 'sms-segments-calculator';
import type { Endpoint } from '../../shared/contract/endpoint';
import { UNITS } from '../store/money';

/** Prices of units in 1/10000 of the currency, e.g. GHS 0.05 for a segment. Any other unit costs 0.01. */
const PRICES: Readonly<Record<string, number>> = {
	segment: (5 * UNITS) / 100,
	whatsapp_message: (8 * UNITS) / 100,
	call: (20 * UNITS) / 100,
};

/** The price of an endpoint's unit, such as a segment, in 1/10000 of the currency; 0 if it is free. */
export function priceOf({ charges }: Pick<Endpoint, 'charges'>): number {
	return charges === false ? 0 : (PRICES[charges] ?? UNITS / 100);
}

/** Fee of a top-up as a fraction of its amount. */
export const FEE_RATE = 0.02;

/** Characters that are both ASCII and one septet of GSM-7. */
const PLAIN = /^[A-Za-z0-9 \n\r@$!"#%&'()*+,./:;<=>?_-]*$/;

/**
 * Counts the billed segments of a message: 160 characters of GSM-7 (153 each if several), or 70 of UCS-2 (67 each).
 * @returns the number of segments, at least 1
 */
export function countChargedSegments(text: string): number {
	// Most messages are plain and short, and splitting into characters is slow.
	if (text.length <= 160 && PLAIN.test(text)) return 1;
	return new SegmentedMessage(text).segmentsCount;
}

/** Fee of a top-up, rounded up to 1/100 of the currency. Amounts are in 1/10000. */
export function feeOf(amount: number): number {
	const hundredth = UNITS / 100;
	return Math.ceil((amount * 2) / 100 / hundredth) * hundredth;
}
