import { contract } from '../../../../shared';
import { call, type Operation } from '../../runtime/operation';

/** Sender ID > Get Many. */
export const getMany: Operation = {
	option: {
		name: 'Get Many',
		value: 'getMany',
		action: 'Get many sender IDs',
		description: 'Get the approved sender IDs of your account',
	},
	fields: [],
	labels: {},
	prepare: () => call(contract.senderId.list, {}),
};
