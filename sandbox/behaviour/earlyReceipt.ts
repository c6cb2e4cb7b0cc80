import { z } from 'zod/v4';
import type { Store } from '../store/store';
import { magicNumbers } from './magicNumbers';

const sent = z.object({ message_id: z.string() });

/** Whether an answer is that of a send to the number whose first receipt comes before the answer. */
export function isForEarlyReceipt(store: Store, output: unknown): boolean {
	const { data } = sent.safeParse(output);
	if (data === undefined) return false;
	const message = store.messages.find(data.message_id);
	return message?.recipient === magicNumbers.receiptBeforeAnswer && message.status === 'submitted';
}
