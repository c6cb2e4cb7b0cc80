import { defineInputFields, defineSearch, type PlainOutputField, type SearchPerform } from 'zapier-platform-core';
import { contract, topUpReport } from '../../shared';
import { textInput } from '../runtime/inputs';
import { connect, emptyIfNotFound, runReading } from '../runtime/perform';
import { toOutput } from '../runtime/results';

const inputFields = defineInputFields([
	{
		key: 'reference',
		label: 'Reference',
		type: 'string',
		required: true,
		helpText: 'Reference of the top-up. It comes with the checkout link and with the return URL.',
	},
]);

const outputFields = [
	{ key: 'reference', label: 'Reference', type: 'string' },
	{ key: 'status', label: 'Status', type: 'string' },
	{ key: 'paid', label: 'Paid', type: 'string' },
	{ key: 'payer_steps', label: 'Steps for the Payer', type: 'string' },
	{ key: 'amount', label: 'Amount', type: 'number' },
	{ key: 'type', label: 'Type', type: 'string' },
	{ key: 'gateway', label: 'Gateway', type: 'string' },
	{ key: 'balance', label: 'Balance', type: 'number' },
	{ key: 'currency', label: 'Currency', type: 'string' },
	{ key: 'created_at', label: 'Created At', type: 'datetime' },
] satisfies PlainOutputField[];

const perform = (async (z, bundle) =>
	await runReading(z, bundle, inputFields, async () => {
		const reference = textInput(bundle.inputData.reference);
		const found = await emptyIfNotFound(connect(z, bundle).wallet.getTopUp({ reference }));
		return found.map((topUp) => toOutput(outputFields, { ...topUp, ...topUpReport(topUp.status), reference }));
	})) satisfies SearchPerform<typeof inputFields>;

const { output: example } = contract.wallet.getTopUp.example;

/** Find Wallet Top-Up: checks whether a top-up was paid (docs/api.md#get-a-top-up). */
export const findWalletTopUp = defineSearch({
	key: 'find_wallet_top_up',
	noun: 'Top-Up',
	display: {
		label: 'Find Wallet Top-Up',
		description: 'Finds a top-up by its reference, and whether it was paid.',
	},
	operation: {
		inputFields,
		perform,
		sample: toOutput(outputFields, { ...example, ...topUpReport(example.status) }),
		outputFields,
	},
});
