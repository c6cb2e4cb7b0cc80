import { contract } from '../../../../shared';
import { call, type Operation } from '../../runtime/operation';

/** Contact > Get Many. */
export const getMany: Operation = {
	option: {
		name: 'Get Many',
		value: 'getMany',
		action: 'Get many contacts',
		description: 'Get the contacts of your account',
	},
	fields: [],
	labels: {},
	prepare: () => call(contract.contact.list, {}),
};
