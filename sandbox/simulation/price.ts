import { SegmentedMessage } from 'sms-segments-calculator';
import { UNITS } from '../store/money';

/** Price of one segment in 1/10000 of the currency: GHS 0.05. */
export const PRICE_PER_SEGMENT = (5 * UNITS) / 100;

/** Other prices, in 1/10000 of the currency. */
export const PRICES = {
	lookup: UNITS / 100,
	email: UNITS / 100,
	whatsapp: (8 * UNITS) / 100,
	voice: (20 * UNITS) / 100,
} as const;

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
