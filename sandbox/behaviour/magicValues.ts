import { BOUNCING_MAILBOX, magicCodes, magicNumbers } from './magicNumbers';

/** A value that makes the sandbox behave in a way of its own. */
export interface MagicValue {
	readonly kind: 'number' | 'code' | 'amount' | 'email';
	readonly value: string;
	/** What happens, for people. */
	readonly effect: string;
}

const numbers: Readonly<Record<keyof typeof magicNumbers, string>> = {
	delivered: 'Delivered.',
	unreachable: 'Refused with 422 failed_send; a lookup says that it is not valid.',
	undeliverable: 'Accepted, sent, then failed and refunded.',
	insufficientBalance: 'Refused with 422 insufficient_balance.',
	rateLimited: 'Answered with 429 and Retry-After: 1, every time.',
	late: 'Delivered ten minutes after it was accepted.',
	serverError: 'Answered with 500; nothing is accepted.',
	acceptedThenDropped: 'Accepted and charged; then the connection is closed without an answer.',
	replies: 'Delivered; its phone then texts “Thank you!” back.',
	optedOut: 'Refused with 422 opted_out.',
	receiptBeforeAnswer: 'The receipt for sent is posted before the send is answered.',
	receiptsOutOfOrder: 'The receipt for sent comes five seconds late, after the one for delivered.',
	receiptThreeTimes: 'Every receipt is posted three times.',
	noReceipt: 'Delivered; no receipt is ever posted.',
	failureIn200: 'Answered with 200 and success: false; nothing is accepted.',
	htmlAnswer: 'Answered with 200 and an HTML page; nothing is accepted.',
	stuck: 'Accepted and never heard of again: it stays submitted.',
};

const numberKeys = Object.keys(magicNumbers).filter((key): key is keyof typeof magicNumbers => key in magicNumbers);

/** All magic values, as the documentation (docs/magic-values.md) and the control routes list them. */
export const magicValues: readonly MagicValue[] = [
	...numberKeys.map((key) => ({ kind: 'number', value: magicNumbers[key], effect: numbers[key] }) as const),
	{ kind: 'code', value: magicCodes.right, effect: 'Right, whatever code was sent.' },
	{ kind: 'code', value: magicCodes.wrong, effect: 'Wrong.' },
	{ kind: 'code', value: magicCodes.expired, effect: 'Expired.' },
	{ kind: 'amount', value: 'top-up ending in .01', effect: 'The payment fails, whatever is chosen at the checkout.' },
	{
		kind: 'amount',
		value: 'top-up ending in .02',
		effect: 'The checkout is left, whatever is chosen; it stays pending.',
	},
	{ kind: 'amount', value: 'top-up ending in .03', effect: 'Paid at the checkout, and pending for ever.' },
	{ kind: 'email', value: `${BOUNCING_MAILBOX}@ any domain`, effect: 'Accepted, sent, then failed and refunded.' },
];
