import { defineTrigger, type PollingTriggerPerform } from 'zapier-platform-core';
import { contract, senderNames } from '../../../shared';
import { connect, runReading } from '../../runtime/perform';
import { readList } from '../../runtime/readList';

const perform = (async (z, bundle) =>
	await runReading(z, bundle, [], async () => {
		const { rows, incomplete } = await readList(connect(z, bundle), contract.senderId.list);
		const names = senderNames(rows);
		if (names.length === 0 && incomplete) throw incomplete;
		return names.map((name) => ({ id: name, name }));
	})) satisfies PollingTriggerPerform;

/** Hidden trigger that fills the dropdown of Sender ID fields (docs/api.md#list-sender-ids). */
export const senderIds = defineTrigger({
	key: 'sender_ids',
	noun: 'Sender ID',
	display: {
		label: 'List Sender IDs',
		description: 'Triggers when a dropdown shows sender IDs.',
		hidden: true,
	},
	operation: { type: 'polling', perform, sample: { id: 'KOFISHOP', name: 'KOFISHOP' } },
});
