import { defineTrigger, type PlainOutputField, type PollingTriggerPerform } from 'zapier-platform-core';
import { withEventIds } from '../runtime/eventId';
import { connect, runStep } from '../runtime/perform';
import { toResult } from '../runtime/results';

const outputFields = [
	{ key: 'id', label: 'ID', type: 'string' },
	{ key: 'name', label: 'Name', type: 'string' },
	{ key: 'phone', label: 'Phone', type: 'string' },
] satisfies PlainOutputField[];

const perform = (async (z, bundle) =>
	await runStep(z, bundle, [], async () => {
		const contacts = await connect(z, bundle).contact.list();
		// A contact is known by its number where it has no ID: its name may be corrected later.
		const named = withEventIds(contacts.map((contact) => ({ ...contact, id: contact.id ?? contact.phone })));
		return named.sort(newestFirst).map((contact) => ({ ...toResult(outputFields, contact), id: contact.id }));
	})) satisfies PollingTriggerPerform;

/** In which order contacts are listed is not shown in the interface; where IDs are numbers, they count upwards. */
function newestFirst(a: { readonly id: string }, b: { readonly id: string }): number {
	const [first, second] = [Number(a.id), Number(b.id)];
	return Number.isNaN(first) || Number.isNaN(second) ? 0 : second - first;
}

/** New Contact: somebody was added to the account's contacts. */
export const newContact = defineTrigger({
	key: 'new_contact',
	noun: 'Contact',
	display: { label: 'New Contact', description: 'Triggers when a contact is added to your account.' },
	operation: {
		type: 'polling',
		perform,
		sample: { id: '7', name: 'Ama Mensah', phone: '+233201234567' },
		outputFields,
	},
});
