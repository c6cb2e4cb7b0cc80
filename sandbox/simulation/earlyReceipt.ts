import { magicNumbers } from './magicNumbers';

/**
 * Whether a request is for the magic number whose first receipt arrives before the response.
 * @param input raw, not yet checked
 */
export function wantsEarlyReceipt(input: Readonly<Record<string, unknown>>): boolean {
	return (input.to ?? input.phone) === magicNumbers.receiptBeforeAnswer;
}
