import { defineTrigger, type PollingTriggerPerform } from 'zapier-platform-core';
import { contract } from '../../shared';
import { CONTACT_SAMPLE, contactOutput, isContactDate } from '../fields';
import { withEventIds } from '../runtime/eventId';
import { connect, runReading } from '../runtime/perform';
import { readWholeList } from '../runtime/readList';
import { toOutput } from '../runtime/results';
import { withinSize } from '../runtime/withinSize';

/** Most rows that the editor shows. */
const SAMPLES = 3;

const perform = (async (z, bundle) =>
	await runReading(z, bundle, [], async () => {
		// The whole list, because a contact missing from this poll would count as new at the next.
		const contacts = await readWholeList(connect(z, bundle), contract.contact.list);
		// The number identifies a contact without an ID, because a name may change later.
		const named = withEventIds(contacts.map((contact) => ({ ...contact, id: contact.id ?? contact.phone })));
		const shown = named.sort(newestFirst).slice(0, bundle.meta.isLoadingSample ? SAMPLES : undefined);
		return withinSize(shown.map((contact) => ({ ...toOutput(contactOutput, contact, isContactDate), id: contact.id })));
	})) satisfies PollingTriggerPerform;

/** A contact with the fields that order it in time. */
interface Dated {
	readonly id: string;
	readonly created_at?: unknown;
}

/**
 * The API does not document the order of contacts (docs/api.md#list-contacts). Numeric IDs are assumed to grow with time;
 * other contacts are ordered by date.
 */
function newestFirst(a: Dated, b: Dated): number {
	const [first, second] = [Number(a.id), Number(b.id)];
	if (!Number.isNaN(first) && !Number.isNaN(second)) return second - first;
	const [earlier, later] = [a.created_at, b.created_at];
	return typeof earlier === 'string' && typeof later === 'string' && earlier !== later ? (earlier < later ? 1 : -1) : 0;
}

/** New Contact: triggers when a contact is added to the account. */
export const newContact = defineTrigger({
	key: 'new_contact',
	noun: 'Contact',
	display: { label: 'New Contact', description: 'Triggers when a contact is added to your account.' },
	operation: {
		type: 'polling',
		perform,
		sample: CONTACT_SAMPLE,
		outputFields: contactOutput,
	},
});
