import { defineTrigger, type PollingTriggerPerform } from 'zapier-platform-core';
import { connect, runStep } from '../../runtime/perform';

const perform = (async (z, bundle) =>
	await runStep(z, bundle, [], async () => {
		const listed = await connect(z, bundle).senderId.list();
		const names = new Set(listed.map(({ name }) => name));
		return [...names].sort((a, b) => a.localeCompare(b)).map((name) => ({ id: name, name }));
	})) satisfies PollingTriggerPerform;

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
