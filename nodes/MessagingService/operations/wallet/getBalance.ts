import { contract } from '../../../../shared';
import { makeCall, type Operation } from '../../execution/operation';

/** Wallet > Get Balance. */
export const getBalance: Operation = {
	option: {
		name: 'Get Balance',
		value: 'getBalance',
		action: 'Get the wallet balance',
		description: 'Get the balance of the prepaid wallet',
	},
	fields: [],
	prepare: () => makeCall(contract.wallet.getBalance, {}),
};
