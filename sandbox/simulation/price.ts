import { SegmentedMessage } from 'sms-segments-calculator';
import { UNITS } from '../store/money';

/** Price of one segment in 1/10000 of the currency: GHS 0.05. */
export const PRICE_PER_SEGMENT = (5 * UNITS) / 100;

/** Prices of everything else, in 1/10000 of the currency. */
export const PRICES = {
	lookup: UNITS / 100,
	email: UNITS / 100,
	whatsapp: (8 * UNITS) / 100,
	voice: (20 * UNITS) / 100,
} as const;

/** Fee of a top-up as a fraction of its amount. */
export const FEE_RATE = 0.02;

/** Characters of GSM-7 that take one septet and are ASCII, too. */
const PLAIN = /^[A-Za-z0-9 \n\r@$!"#%&'()*+,./:;<=>?_-]*$/;

/**
 * Counts the billed parts of a text: GSM-7 160 characters alone or 153 a part, else UCS-2 70 or 67.
 * @returns how many segments it takes, at least 1
 */
export function countChargedSegments(text: string): number {
	// Most texts are plain and short, and taking any text apart into what a reader calls characters takes a while.
	if (text.length <= 160 && PLAIN.test(text)) return 1;
	return new SegmentedMessage(text).segmentsCount;
}

/** Fee of a top-up, rounded up to a hundredth of the currency; amounts in 1/10000. */
export function feeOf(amount: number): number {
	const hundredth = UNITS / 100;
	return Math.ceil((amount * 2) / 100 / hundredth) * hundredth;
}
