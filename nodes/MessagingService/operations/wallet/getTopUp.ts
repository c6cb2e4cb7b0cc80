import { contract, topUpReport } from '../../../../shared';
import type { ItemOperation } from '../../execution/operation';
import { shownFor } from '../fields';
import { topUpReference, topUpReferenceField } from './topUpReference';

/** Wallet > Get Top-Up. */
export const getTopUp: ItemOperation = {
	option: {
		name: 'Get Top-Up',
		value: 'getTopUp',
		action: 'Check a top-up',
		description: 'Check whether a top-up has been paid, and get the balance',
	},
	fields: [topUpReferenceField(shownFor('wallet', 'getTopUp'))],
	prepare: (context, itemIndex) => {
		const { reference, returned } = topUpReference(context, itemIndex);
		return {
			kind: 'task',
			run: async (client, options) => {
				const found = await client.call(contract.wallet.getTopUp, { reference }, options);
				if (found.outcome !== 'accepted') return found;
				const { output } = found;
				return { outcome: 'accepted', output: { ...output, ...topUpReport(output.status), ...returned } };
			},
		};
	},
};
