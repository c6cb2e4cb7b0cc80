import type { ContactRow } from '../../../control/account';
import { ActionButton } from '../../../../ui/ActionButton';
import { Card } from '../../../../ui/Card';
import { Field, Form, type FormValues } from '../../../../ui/Form';
import { type Column, EmptyState, Table } from '../../../../ui/Table';
import { Time } from '../../../../ui/Time';
import { showToast } from '../../../../ui/Toast';
import { control } from '../client';
import { formatWord } from '../StatusBadge';
import { useData } from '../../useData';

/** The fields of every contact. The others are custom fields. */
const OWN_FIELDS: ReadonlySet<string> = new Set(['id', 'name', 'phone', 'created_at']);

/** The account's contacts. */
export function Contacts() {
	const { data, refresh } = useData(['contacts'], async () => await control.call('GET contacts'));

	async function add(values: FormValues): Promise<void> {
		const added = await control.call('POST contacts', { body: values });
		showToast(`${nameOf(added)} was added`);
		await refresh();
	}

	async function remove(contact: ContactRow): Promise<void> {
		await control.call('DELETE contacts/:id', { params: { id: contact.id } });
		await refresh();
		showToast(`${nameOf(contact)} was removed`);
	}
	const columns: readonly Column<ContactRow>[] = [
		{ title: 'Name', lead: true, draw: ({ name }) => name ?? '–' },
		{ title: 'Phone', draw: ({ phone }) => <span class="figures">{phone}</span> },
		{ title: 'Other fields', wide: true, draw: formatCustomFields },
		{ title: 'Added', draw: ({ created_at }) => <Time at={created_at} /> },
		{
			title: 'Actions',
			hideTitle: true,
			draw: (contact) => (
				<ActionButton act={async () => await remove(contact)} label={`Remove ${nameOf(contact)}`} look="small">
					Remove
				</ActionButton>
			),
		},
	];
	return (
		<>
			<Card title="Add a contact">
				<Form action="Add" submit={add}>
					<Field name="name" label="Name" maxLength={100} />
					<Field name="phone" label="Phone number" kind="tel" required hint="Such as 020 123 4567" />
					<Field name="city" label="City" hint="Optional. An example of a custom field." />
				</Form>
			</Card>
			<Table
				caption="Contacts"
				columns={columns}
				items={data}
				keyOf={({ id }) => id}
				empty={<EmptyState title="No contacts yet">Add one above, or let your workflow add them.</EmptyState>}
			/>
		</>
	);
}

function nameOf({ name, phone }: ContactRow): string {
	return name ?? phone;
}

function formatCustomFields(contact: ContactRow): string {
	const fields = Object.entries(contact).filter(([name]) => !OWN_FIELDS.has(name));
	return fields.length === 0 ? '–' : fields.map(([name, value]) => `${formatWord(name)}: ${String(value)}`).join(' · ');
}
