import { contract, paymentStage } from '../../../../shared';
import { timeLimitField, waitOperation } from '../../runtime/waitOperation';
import { shownFor } from '../fields';
import { topUpReference, topUpReferenceField } from './topUpReference';

/** Whether a top-up is paid, by how far its payment is. */
const PAID = { completed: 'yes', failed: 'no', pending: 'pending', unknown: 'unknown' } as const;

const displayOptions = shownFor('wallet', 'waitForTopUp');

/** Wallet > Wait for Top-Up. */
export const waitForTopUp = waitOperation({
	option: {
		name: 'Wait for Top-Up',
		value: 'waitForTopUp',
		action: 'Wait for wallet top up',
		description: 'Wait until somebody has paid a top-up, or it has ended otherwise, and get its status and the balance',
	},
	fields: [topUpReferenceField(displayOptions), timeLimitField(300, displayOptions)],
	labels: { reference: 'Reference', timeLimit: 'Time Limit (Seconds)' },
	endpoint: contract.wallet.getTopUp,
	// The interface names only `pending` and `completed` (docs/api.md#top-up-states). A word that says neither that
	// the money came nor that it will not come is no reason to stop waiting.
	isFinal: ({ status }) => ['completed', 'failed'].includes(paymentStage(status)),
	describe: ({ status }) => ({ paid: PAID[paymentStage(status)] }),
	prepare: (context, itemIndex) => {
		const { reference, returned } = topUpReference(context, itemIndex);
		// Who came back without having paid will not pay while the workflow waits.
		const once = /cancel|fail|declin|abandon|expire/i.test(returned.returned_status ?? '');
		return { input: { reference }, once, beside: returned };
	},
});
