import { contract, topUpReport } from '../../../../shared';
import { timeLimitField, waitOperation } from '../../execution/polling/waitOperation';
import { shownFor } from '../fields';
import { topUpReference, topUpReferenceField } from './topUpReference';

const displayOptions = shownFor('wallet', 'waitForTopUp');

/** Wallet > Wait for Top-Up. */
export const waitForTopUp = waitOperation({
	option: {
		name: 'Wait for Top-Up',
		value: 'waitForTopUp',
		action: 'Wait for a top-up',
		description: 'Wait until a top-up is paid, fails or expires, and get its status and the balance',
	},
	fields: [topUpReferenceField(displayOptions), timeLimitField(300, displayOptions)],
	endpoint: contract.wallet.getTopUp,
	// The API documents only `pending` and `completed` (docs/api.md#top-up-states). A status that
	// means neither paid nor failed is not final.
	isFinal: ({ status }) => ['yes', 'no'].includes(topUpReport(status).paid),
	describe: ({ status }) => topUpReport(status),
	prepare: (context, itemIndex) => {
		const { reference, returned } = topUpReference(context, itemIndex);
		// A customer who left the checkout without paying will not pay while the workflow waits.
		const once = /cancel|fail|declin|abandon|expire/i.test(returned.returned_status ?? '');
		return { input: { reference }, once, beside: returned };
	},
});
