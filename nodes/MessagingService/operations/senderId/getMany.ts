import { contract } from '../../../../shared';
import { listTask } from '../../execution/listTask';
import type { Operation } from '../../execution/operation';

/** Sender ID > Get Many. */
export const getMany: Operation = {
	option: {
		name: 'Get Many',
		value: 'getMany',
		action: 'Get many sender IDs',
		description: 'Get the approved sender IDs of your account',
	},
	fields: [],
	prepare: (context) => listTask(context, contract.senderId.list, Number.POSITIVE_INFINITY),
};
