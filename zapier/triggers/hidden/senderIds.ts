import { defineTrigger, type PollingTriggerPerform } from 'zapier-platform-core';
import { contract } from '../../../shared';
import { toZapierError } from '../../runtime/errors';
import { callService } from '../../runtime/perform';

const perform = (async (z, bundle) => {
	const listed = await callService(z, bundle, contract.senderId.list, {});
	if (listed.outcome !== 'accepted') throw toZapierError(z, listed);
	const names = new Set(listed.output.map(({ name }) => name));
	return [...names].sort((a, b) => a.localeCompare(b)).map((name) => ({ id: name, name }));
}) satisfies PollingTriggerPerform;

/** Fills the list of every Sender ID field; nobody sees it as a trigger. */
export const senderIds = defineTrigger({
	key: 'sender_ids',
	noun: 'Sender ID',
	display: {
		label: 'List Sender IDs',
		description: 'Triggers when a list of sender IDs is to be shown.',
		hidden: true,
	},
	operation: { type: 'polling', perform, sample: { id: 'KOFISHOP', name: 'KOFISHOP' } },
});
