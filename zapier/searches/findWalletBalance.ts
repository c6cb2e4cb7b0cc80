import { defineInputFields, defineSearch, type PlainOutputField, type SearchPerform } from 'zapier-platform-core';
import { numberOption } from '../runtime/optionFields';
import { connect, runReading } from '../runtime/perform';
import { toOutput } from '../runtime/results';

const inputFields = defineInputFields([
	{
		key: 'threshold',
		label: 'Threshold',
		type: 'number',
		required: false,
		helpText:
			'Amount in the currency of the wallet, for example `10`. The result says whether the balance is below it.',
	},
]);

const outputFields = [
	{ key: 'balance', label: 'Balance', type: 'number' },
	{ key: 'currency', label: 'Currency', type: 'string' },
	{ key: 'threshold', label: 'Threshold', type: 'number' },
	{ key: 'is_below_threshold', label: 'Is Below Threshold', type: 'boolean' },
] satisfies PlainOutputField[];

const perform = (async (z, bundle) =>
	await runReading(z, bundle, inputFields, async () => {
		const threshold = numberOption(bundle, 'threshold');
		const found = await connect(z, bundle).wallet.getBalance();
		const compared = threshold === undefined ? {} : { threshold, is_below_threshold: found.balance < threshold };
		return [toOutput(outputFields, { ...found, ...compared })];
	})) satisfies SearchPerform<typeof inputFields>;

/** Find Wallet Balance: gets the balance of the prepaid wallet (docs/api.md#get-the-balance). */
export const findWalletBalance = defineSearch({
	key: 'find_wallet_balance',
	noun: 'Balance',
	display: {
		label: 'Find Wallet Balance',
		description: 'Finds the balance of the prepaid wallet, and whether it is below a threshold.',
	},
	operation: {
		inputFields,
		perform,
		sample: { balance: 40, currency: 'GHS', threshold: 50, is_below_threshold: true },
		outputFields,
	},
});
