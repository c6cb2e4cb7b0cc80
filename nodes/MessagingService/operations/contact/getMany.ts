import { contract, InputError } from '../../../../shared';
import type { Operation } from '../../runtime/operation';
import { limitParameter } from '../../runtime/parameters';
import { limitField, returnAllField, shownFor } from '../fields';

const { show } = shownFor('contact', 'getMany');

/** Contact > Get Many. The service gives all at once, so that a limit is kept here. */
export const getMany: Operation = {
	option: {
		name: 'Get Many',
		value: 'getMany',
		action: 'Get many contacts',
		description: 'Get the contacts of your account',
	},
	fields: [returnAllField(show), limitField(show)],
	labels: {},
	prepare: (context, itemIndex) => {
		const limit = limitParameter(context, itemIndex);
		if (limit instanceof InputError) return limit;
		return {
			kind: 'task',
			run: async (client, options) => {
				const listed = await client.call(contract.contact.list, {}, options);
				return listed.outcome === 'accepted' ? { ...listed, output: listed.output.slice(0, limit) } : listed;
			},
		};
	},
};
