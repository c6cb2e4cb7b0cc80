import { defineTrigger, type PollingTriggerPerform } from 'zapier-platform-core';
import { connect, runStep } from '../../runtime/perform';

const perform = (async (z, bundle) =>
	await runStep(z, bundle, [], async () => {
		const byPhone = new Map<string, string>();
		for (const { phone, name } of await connect(z, bundle).contact.list()) {
			if (phone && !byPhone.has(phone)) byPhone.set(phone, name ? `${name} (${phone})` : phone);
		}
		const choices = [...byPhone].map(([id, name]) => ({ id, name }));
		return choices.sort((a, b) => a.name.localeCompare(b.name));
	})) satisfies PollingTriggerPerform;

/** Fills the list of fields for a phone number with the contacts' numbers; nobody sees it as a trigger. */
export const contacts = defineTrigger({
	key: 'contacts',
	noun: 'Contact',
	display: {
		label: 'List Contacts',
		description: 'Triggers when a list of contacts is to be shown.',
		hidden: true,
	},
	operation: {
		type: 'polling',
		perform,
		sample: { id: '+233201234567', name: 'Ama Mensah (+233201234567)' },
	},
});
