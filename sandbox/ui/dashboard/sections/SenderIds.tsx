import type { SenderIdRow } from '../../../control/account';
import { ActionButton } from '../../../../ui/ActionButton';
import { Card, Hint } from '../../../../ui/Card';
import { Field, Form, type FormValues } from '../../../../ui/Form';
import { type Column, EmptyState, Table } from '../../../../ui/Table';
import { Time } from '../../../../ui/Time';
import { showToast } from '../../../../ui/Toast';
import { control } from '../client';
import { StatusBadge } from '../StatusBadge';
import { useData } from '../../useData';

const decisions = [
	{ status: 'approved', action: 'Approve' },
	{ status: 'rejected', action: 'Reject' },
] as const;

/** The sender IDs, with their approval. */
export function SenderIds() {
	const { data, refresh } = useData(['sender_ids'], async () => await control.call('GET sender-ids/all'));

	async function request(values: FormValues): Promise<void> {
		await control.call('POST sender-ids', { body: values });
		showToast(`${String(values.name)} was requested`);
		await refresh();
	}

	async function decide(name: string, status: string): Promise<void> {
		await control.call('PUT sender-ids/:name', { params: { name }, body: { status } });
		showToast(`${name} is ${status}`);
		await refresh();
	}
	const columns: readonly Column<SenderIdRow>[] = [
		{ title: 'Name', lead: true, draw: ({ name }) => <strong>{name}</strong> },
		{ title: 'Status', draw: ({ status }) => <StatusBadge status={status} /> },
		{ title: 'Requested', draw: ({ created_at }) => <Time at={created_at} /> },
		{
			title: 'Actions',
			hideTitle: true,
			draw: ({ name, status: current }) => (
				<span class="buttons">
					{decisions
						.filter(({ status }) => status !== current)
						.map(({ status, action }) => (
							<ActionButton
								key={status}
								act={async () => await decide(name, status)}
								label={`${action} ${name}`}
								look="small"
							>
								{action}
							</ActionButton>
						))}
				</span>
			),
		},
	];
	return (
		<>
			<Card title="Request a sender ID">
				<Hint>The name that people see instead of a number. Normally the networks approve it. Here you do.</Hint>
				<Form action="Request" layout="line" submit={request}>
					<Field
						name="name"
						label="Name"
						required
						hint="3 to 11 letters and digits, e.g. AMASHOP, or a short code of 3 to 6 digits"
						maxLength={11}
					/>
				</Form>
			</Card>
			<Table
				caption="Sender IDs"
				columns={columns}
				items={data}
				keyOf={({ name }) => name}
				empty={<EmptyState title="No sender IDs yet">Request one above, then approve it here.</EmptyState>}
			/>
		</>
	);
}
