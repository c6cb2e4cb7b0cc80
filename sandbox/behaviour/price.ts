import { SegmentedMessage } from 'sms-segments-calculator';
import { UNITS } from '../store/money';

/** Price of one segment in 1/10000 of the currency: GHS 0.05. */
export const PRICE_PER_SEGMENT = (5 * UNITS) / 100;

/**
 * Counts the billed parts of a text: GSM-7 160 characters alone or 153 a part, else UCS-2 70 or 67.
 * @returns how many segments it takes, at least 1
 */
export function countSegments(text: string): number {
	return new SegmentedMessage(text).segmentsCount;
}
