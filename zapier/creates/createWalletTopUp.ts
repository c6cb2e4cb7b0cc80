import { defineCreate, defineInputFields, type CreatePerform, type PlainOutputField } from 'zapier-platform-core';
import { contract, PAYER_STEPS } from '../../shared';
import { numberInput } from '../runtime/inputs';
import { textOption } from '../runtime/optionFields';
import { connect, runStep } from '../runtime/perform';
import { toOutput } from '../runtime/results';

const inputFields = defineInputFields([
	{
		key: 'amount',
		label: 'Amount',
		type: 'number',
		required: true,
		helpText: 'Amount to add in the currency of the wallet, for example `50`. The service adds its fee.',
	},
	{
		key: 'return_url',
		label: 'Return URL',
		type: 'string',
		required: false,
		placeholder: 'https://shop.example/thanks',
		helpText:
			'Page to return to after paying, starting with `https://`. The service adds **Reference** and **Status** to it.',
	},
]);

const outputFields = [
	{ key: 'reference', label: 'Reference', type: 'string' },
	{ key: 'checkout_url', label: 'Checkout URL', type: 'string' },
	{ key: 'currency', label: 'Currency', type: 'string' },
	{ key: 'amount_credit', label: 'Amount Added', type: 'number' },
	{ key: 'fee', label: 'Fee', type: 'number' },
	{ key: 'fee_rate', label: 'Fee Rate', type: 'number' },
	{ key: 'total_wallet', label: 'Total in Wallet Currency', type: 'number' },
	{ key: 'total_charged_ghs', label: 'Total Charged (in GHS)', type: 'number' },
	{ key: 'status', label: 'Status', type: 'string' },
	{ key: 'payer_steps', label: 'Steps for the Payer', type: 'string' },
] satisfies PlainOutputField[];

const perform = (async (z, bundle) =>
	await runStep(z, bundle, inputFields, async () => {
		const return_url = textOption(bundle, 'return_url');
		const created = await connect(z, bundle).wallet.createTopUp({
			amount: numberInput(bundle.inputData.amount, 'amount'),
			...(return_url !== undefined && { return_url }),
		});
		return toOutput(outputFields, { payer_steps: PAYER_STEPS, ...created });
	})) satisfies CreatePerform<typeof inputFields>;

/** Create Wallet Top-Up: creates a checkout link, which charges nothing until it is paid (docs/api.md#create-a-top-up). */
export const createWalletTopUp = defineCreate({
	key: 'create_wallet_top_up',
	noun: 'Top-Up',
	display: {
		label: 'Create Wallet Top-Up',
		description: 'Creates a checkout link that adds money to the wallet. Nothing is charged until the link is paid.',
	},
	operation: {
		inputFields,
		perform,
		sample: toOutput(outputFields, { payer_steps: PAYER_STEPS, ...contract.wallet.createTopUp.example.output }),
		outputFields,
	},
});
