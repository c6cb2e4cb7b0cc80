import { contract } from '../../../../shared';
import { call, type Operation } from '../../runtime/operation';
import { textParameter } from '../../runtime/parameters';
import { shownFor } from '../fields';

/** Wallet > Get Top-Up. */
export const getTopUp: Operation = {
	option: {
		name: 'Get Top-Up',
		value: 'getTopUp',
		action: 'Get wallet top up',
		description: 'Get whether a top-up was paid, and the balance',
	},
	fields: [
		{
			displayName: 'Reference',
			name: 'reference',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. {{ $json.reference }}',
			description: 'The reference that Create Top-Up returned, or that the return URL received',
			displayOptions: shownFor('wallet', 'getTopUp'),
		},
	],
	labels: { reference: 'Reference' },
	prepare: (context, itemIndex) =>
		call(contract.wallet.getTopUp, { reference: textParameter(context, 'reference', itemIndex) }),
};
