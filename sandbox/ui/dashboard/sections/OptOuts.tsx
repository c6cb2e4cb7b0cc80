import type { OptOutRow } from '../../../control/account';
import { ActionButton } from '../../../../ui/ActionButton';
import { Card, Hint } from '../../../../ui/Card';
import { Field, Form, type FormValues } from '../../../../ui/Form';
import { type Column, EmptyState, Table } from '../../../../ui/Table';
import { Time } from '../../../../ui/Time';
import { showToast } from '../../../../ui/Toast';
import { control } from '../client';
import { useData } from '../../useData';

/** The numbers that opted out. */
export function OptOuts() {
	const { data, refresh } = useData(['opt_outs'], async () => await control.call('GET opt-outs'));

	async function add(values: FormValues): Promise<void> {
		await control.call('POST opt-outs', { body: values });
		await refresh();
		showToast(`Opted out: ${String(values.number)}`);
	}

	async function remove(number: string): Promise<void> {
		await control.call('DELETE opt-outs/:number', { params: { number } });
		await refresh();
		showToast(`Opted back in: ${number}`);
	}
	const columns: readonly Column<OptOutRow>[] = [
		{ title: 'Number', lead: true, draw: ({ number }) => <span class="figures">{number}</span> },
		{ title: 'Since', draw: ({ created_at }) => <Time at={created_at} /> },
		{
			title: 'Actions',
			hideTitle: true,
			draw: ({ number }) => (
				<ActionButton act={async () => await remove(number)} label={`Remove ${number}`} look="small">
					Remove
				</ActionButton>
			),
		},
	];
	return (
		<>
			<Card title="Add an opt-out">
				<Hint>The service then rejects messages to this number with a 422, at no cost.</Hint>
				<Form action="Add" layout="line" submit={add}>
					<Field name="number" label="Phone number" kind="tel" required />
				</Form>
			</Card>
			<Table
				caption="Numbers that have opted out"
				columns={columns}
				items={data}
				keyOf={({ number }) => number}
				empty={
					<EmptyState title="No opt-outs yet">
						A number that sends STOP appears here. The service rejects messages to it.
					</EmptyState>
				}
			/>
		</>
	);
}
