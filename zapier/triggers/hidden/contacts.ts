import { defineTrigger, type PollingTriggerPerform } from 'zapier-platform-core';
import { contactChoices, contract } from '../../../shared';
import { connect, runReading } from '../../runtime/perform';
import { readList } from '../../runtime/readList';

/** Contacts per page of the dropdown. */
const PAGE_SIZE = 100;

const perform = (async (z, bundle) =>
	await runReading(z, bundle, [], async () => {
		const { rows, incomplete } = await readList(connect(z, bundle), contract.contact.list);
		const choices = contactChoices(rows);
		if (choices.length === 0 && incomplete) throw incomplete;
		const start = bundle.meta.page * PAGE_SIZE;
		return choices.slice(start, start + PAGE_SIZE).map(({ phone, label }) => ({ id: phone, name: label }));
	})) satisfies PollingTriggerPerform;

/** Hidden trigger that fills the dropdown of phone number fields with the contacts' numbers. */
export const contacts = defineTrigger({
	key: 'contacts',
	noun: 'Contact',
	display: {
		label: 'List Contacts',
		description: 'Triggers when a dropdown shows contacts.',
		hidden: true,
	},
	operation: {
		type: 'polling',
		perform,
		canPaginate: true,
		sample: { id: '+233201234567', name: 'Ama Mensah (+233201234567)' },
	},
});
