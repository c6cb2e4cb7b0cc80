import { BOUNCING_MAILBOX, magicCodes, magicNumbers } from '../magicNumbers';

/** A value with a special effect in the sandbox. */
export interface MagicValue {
	readonly kind: 'number' | 'code' | 'amount' | 'email';
	readonly value: string;
	/** Description of the effect for users. */
	readonly effect: string;
}

const numbers: Readonly<Record<keyof typeof magicNumbers, string>> = {
	delivered: 'Delivered.',
	unreachable: 'Not a valid number. Rejected with 422 failed_send.',
	undeliverable: 'Accepted, sent, then failed and refunded.',
	insufficientBalance: 'Rejected with 422 insufficient_balance.',
	rateLimited: 'Rejected with 429 and Retry-After: 1, every time.',
	late: 'Delivered ten minutes after the service accepts it.',
	serverError: 'The response is a 500. Nothing is accepted.',
	acceptedThenDropped: 'Accepted and charged. Then the connection closes without a response.',
	replies: 'Delivered. Its phone then replies “Thank you!”.',
	optedOut: 'Rejected with 422 opted_out.',
	receiptBeforeAnswer: 'The receipt for sent arrives before the response to the send.',
	receiptsOutOfOrder: 'The receipt for sent arrives five seconds late, after the one for delivered.',
	receiptThreeTimes: 'Every receipt is sent three times.',
	noReceipt: 'Delivered. No receipt is ever sent.',
	failureIn200: 'The response is a 200 with success: false. Nothing is accepted.',
	htmlAnswer: 'The response is a 200 with an HTML page. Nothing is accepted.',
	stuck: 'Accepted. The status stays submitted forever.',
};

const numberKeys = Object.keys(magicNumbers).filter((key): key is keyof typeof magicNumbers => key in magicNumbers);

/** All magic values, as listed in docs/magic-values.md and by the control routes. */
export const magicValues: readonly MagicValue[] = [
	...numberKeys.map((key) => ({ kind: 'number', value: magicNumbers[key], effect: numbers[key] }) as const),
	{ kind: 'code', value: magicCodes.right, effect: 'Right, whichever code was sent.' },
	{ kind: 'code', value: magicCodes.wrong, effect: 'Wrong.' },
	{ kind: 'code', value: magicCodes.expired, effect: 'Expired.' },
	{
		kind: 'amount',
		value: 'top-up ending in .01',
		effect: 'The payment fails, whichever button you choose at the checkout.',
	},
	{
		kind: 'amount',
		value: 'top-up ending in .02',
		effect: 'The payment is abandoned, whichever button you choose. The top-up stays pending.',
	},
	{ kind: 'amount', value: 'top-up ending in .03', effect: 'Paid at the checkout. The top-up stays pending forever.' },
	{
		kind: 'amount',
		value: 'top-up ending in .04',
		effect:
			'By mobile money, no prompt comes to the phone. Approve or decline at the checkout, or it expires after ten minutes.',
	},
	{ kind: 'email', value: `${BOUNCING_MAILBOX}@ any domain`, effect: 'Accepted, sent, then failed and refunded.' },
];
