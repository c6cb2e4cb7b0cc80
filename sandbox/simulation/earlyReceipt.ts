import { magicNumbers } from './magicNumbers';

/**
 * Whether a request is for the number whose first receipt comes before the answer.
 * @param input as it came in
 */
export function wantsEarlyReceipt(input: Readonly<Record<string, unknown>>): boolean {
	return (input.to ?? input.phone) === magicNumbers.receiptBeforeAnswer;
}
