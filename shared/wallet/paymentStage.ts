import { statusWords } from './statusWords';

/** The stage of a payment. `failed` is final: no money will come. `unknown`: the words are not clear. */
export type PaymentStage = 'pending' | 'completed' | 'failed' | 'unknown';

const FAILED =
	/^(fail|deni|deny|declin|reject|cancel|expir|abandon|revers|refund|void|error|invalid|timeout|timedout|block|chargeback|disput|refus|abort|unsuccess|insufficient)/;
const PENDING =
	/^(pend|processing$|initiat|initiali|await|wait|queue|submit|creat|schedul|progress|ongoing|hold|held|review|requir|verifying$|confirming$|authori)/;
const COMPLETED =
	/^(complete|completed|success|successful|successfully|succeed|succeeded|paid|credited|confirmed|settled|done|approved|captured|posted|booked|cleared|received|processed|finished|funded|ok)$/;
const DOUBT = /^(not|no|never|non|un|partial|partially|part)$/;

/**
 * Reads the status of a top-up. Only `pending` and `completed` are documented (docs/api.md#top-up-states), so other words
 * are read by their meaning.
 * @example paymentStage('in_progress') // 'pending'
 */
export function paymentStage(status: string): PaymentStage {
	const words = statusWords(status);
	if (words.some((word) => FAILED.test(word))) return 'failed';
	if (words.some((word) => PENDING.test(word))) return 'pending';
	if (words.some((word) => DOUBT.test(word))) return 'unknown';
	return words.some((word) => COMPLETED.test(word)) ? 'completed' : 'unknown';
}
