/** Magic numbers by effect. Numbers of the block +233 99 000 00NN have no owner. */
export const magicNumbers = {
	delivered: '+233990000000',
	unreachable: '+233990000001',
	undeliverable: '+233990000002',
	insufficientBalance: '+233990000003',
	rateLimited: '+233990000004',
	late: '+233990000005',
	serverError: '+233990000006',
	acceptedThenDropped: '+233990000007',
	replies: '+233990000008',
	optedOut: '+233990000009',
	receiptBeforeAnswer: '+233990000010',
	receiptsOutOfOrder: '+233990000011',
	receiptThreeTimes: '+233990000012',
	noReceipt: '+233990000013',
	failureIn200: '+233990000014',
	htmlAnswer: '+233990000015',
	stuck: '+233990000016',
} as const;

/** Codes that a check always treats the same way, whichever code was sent. */
export const magicCodes = { right: '123456', wrong: '000000', expired: '999999' } as const;

/**
 * Last two digits of a top-up amount that decide its payment, whatever is chosen at the checkout. `noPrompt` concerns
 * mobile money only.
 */
export const magicCents = { fails: 1, abandoned: 2, neverCompletes: 3, noPrompt: 4 } as const;

/** Mailbox whose emails fail after they were sent, at any domain. */
export const BOUNCING_MAILBOX = 'bounce';
