import { contract } from '../../../../shared';
import { timeLimitField, waitOperation } from '../../runtime/waitOperation';
import { shownFor } from '../fields';
import { topUpReference, topUpReferenceField } from './topUpReference';

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
	// Only `pending` is followed by another status (service.md, Wallet top-up status); any other ends the wait.
	isFinal: ({ status }) => status.toLowerCase() !== 'pending',
	prepare: (context, itemIndex) => {
		const { reference, returned } = topUpReference(context, itemIndex);
		// Who came back without having paid will not pay while the workflow waits.
		const once = /cancel|fail|declin|abandon|expire/i.test(returned.returned_status ?? '');
		return { input: { reference }, once, beside: returned };
	},
});
