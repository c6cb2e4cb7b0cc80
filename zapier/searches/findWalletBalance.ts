import { defineInputFields, defineSearch, type PlainOutputField, type SearchPerform } from 'zapier-platform-core';
import { numberOption } from '../runtime/optionFields';
import { connect, runStep } from '../runtime/perform';
import { toOutput } from '../runtime/results';

const inputFields = defineInputFields([
	{
		key: 'threshold',
		label: 'Threshold',
		type: 'number',
		required: false,
		helpText: 'An amount in the currency of the wallet: the result then says whether the wallet holds less than that.',
	},
]);

const outputFields = [
	{ key: 'balance', label: 'Balance', type: 'number' },
	{ key: 'currency', label: 'Currency', type: 'string' },
	{ key: 'threshold', label: 'Threshold', type: 'number' },
	{ key: 'is_below_threshold', label: 'Is Below Threshold', type: 'boolean' },
] satisfies PlainOutputField[];

const perform = (async (z, bundle) =>
	await runStep(z, bundle, inputFields, async () => {
		const threshold = numberOption(bundle, 'threshold');
		const found = await connect(z, bundle).wallet.getBalance();
		const compared = threshold === undefined ? {} : { threshold, is_below_threshold: found.balance < threshold };
		return [toOutput(outputFields, { ...found, ...compared })];
	})) satisfies SearchPerform<typeof inputFields>;

/** Find Wallet Balance: what is left in the prepaid wallet. */
export const findWalletBalance = defineSearch({
	key: 'find_wallet_balance',
	noun: 'Balance',
	display: {
		label: 'Find Wallet Balance',
		description: 'Finds what is left in the prepaid wallet, and whether that is less than you want.',
	},
	operation: {
		inputFields,
		perform,
		sample: { balance: 40, currency: 'GHS', threshold: 50, is_below_threshold: true },
		outputFields,
	},
});
