import { contract, PAYER_STEPS, type OutputOf } from '../../../../shared';
import { makeCall, type Operation } from '../../execution/operation';
import { isOptionSet, numberParameter, textParameter } from '../../host/parameters';
import { optionsField, shownFor } from '../fields';

type TopUp = OutputOf<typeof contract.wallet.createTopUp>;

const displayOptions = shownFor('wallet', 'createTopUp');

/** Wallet > Create Top-Up. */
export const createTopUp: Operation = {
	option: {
		name: 'Create Top-Up',
		value: 'createTopUp',
		action: 'Create a top-up link',
		description:
			'Create a checkout link for a wallet top-up, with the fee and the total in GHS. Nothing is charged until it is paid.',
	},
	fields: [
		{
			displayName: 'Amount',
			name: 'amount',
			type: 'number',
			typeOptions: { numberPrecision: 2 },
			default: 50,
			required: true,
			description: 'Amount to add, in the currency of the wallet. The service adds its fee.',
			displayOptions,
		},
		optionsField(displayOptions, [
			{
				displayName: 'Return URL',
				name: 'returnUrl',
				type: 'string',
				default: '',
				placeholder: 'e.g. https://shop.example/thanks',
				description: 'The https page to return to after paying. The service adds reference and status to its address.',
			},
		]),
	],
	prepare: (context, itemIndex) =>
		makeCall(contract.wallet.createTopUp, {
			amount: numberParameter(context, 'amount', itemIndex),
			...(isOptionSet(context, 'returnUrl') && { return_url: textParameter(context, 'options.returnUrl', itemIndex) }),
		}),
	// The fields that the payer needs come first, in this order.
	finish: (outcome) => {
		if (outcome.outcome !== 'accepted') return outcome;
		const { checkout_url, amount_credit, fee, total_charged_ghs, ...rest } = Object(outcome.output) as TopUp;
		const output = { checkout_url, amount_credit, fee, total_charged_ghs, payer_steps: PAYER_STEPS, ...rest };
		return { outcome: 'accepted', output };
	},
};
