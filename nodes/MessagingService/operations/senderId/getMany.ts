import { contract, InputError } from '../../../../shared';
import { listTask } from '../../execution/listTask';
import type { Operation } from '../../execution/operation';
import { limitParameter } from '../../host/parameters';
import { limitField, returnAllField, shownFor } from '../fields';

const { show } = shownFor('senderId', 'getMany');

/** Sender ID > Get Many. The API has no limit parameter, so the node applies the limit. */
export const getMany: Operation = {
	option: {
		name: 'Get Many',
		value: 'getMany',
		action: 'Get many sender IDs',
		description: 'Get the approved sender IDs of your account',
	},
	fields: [returnAllField(show), limitField(show)],
	prepare: (context, itemIndex) => {
		const limit = limitParameter(context, itemIndex);
		if (limit instanceof InputError) return limit;
		return listTask(context, contract.senderId.list, limit);
	},
};
