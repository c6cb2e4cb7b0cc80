import { useState } from 'preact/hooks';
import type { PackageRow, TopUpRow } from '../../../control/wallet';
import { Card, Hint } from '../../../../ui/Card';
import { Field, Form, type FormValues } from '../../../../ui/Form';
import { formatAmount, formatCount } from '../../../../ui/format';
import { type Column, EmptyState, Table } from '../../../../ui/Table';
import { Time } from '../../../../ui/Time';
import { showToast } from '../../../../ui/Toast';
import { access } from '../access';
import { control } from '../client';
import { formatWord, StatusBadge } from '../StatusBadge';
import { useData } from '../../useData';

const topUpColumns: readonly Column<TopUpRow>[] = [
	{ title: 'Reference', lead: true, draw: ({ reference }) => <span class="code">{reference}</span> },
	{ title: 'Status', draw: ({ status }) => <StatusBadge status={status} /> },
	{ title: `Credit (${access.currency})`, number: true, draw: ({ amount }) => formatAmount(amount) },
	{ title: `Fee (${access.currency})`, number: true, draw: ({ fee }) => formatAmount(fee) },
	{ title: 'Paid by', draw: ({ method }) => (method === null ? '–' : formatWord(method)) },
	{ title: 'Created', draw: ({ created_at }) => <Time at={created_at} /> },
	{
		title: 'Actions',
		hideTitle: true,
		draw: ({ reference, status, method, awaits_approval }) =>
			status === 'pending' &&
			(method === null || awaits_approval) && (
				<CheckoutLink
					reference={reference}
					text={awaits_approval ? 'Approve' : 'Pay'}
					label={`${awaits_approval ? 'Approve' : 'Pay'} ${reference}`}
				/>
			),
	},
];

const packageColumns: readonly Column<PackageRow>[] = [
	{ title: 'Package', lead: true, draw: ({ name }) => name },
	{ title: 'Credits left', number: true, draw: ({ credits_left }) => formatCount(credits_left) },
	{ title: 'Bought', number: true, draw: ({ credits }) => formatCount(credits) },
	{ title: 'Added', draw: ({ created_at }) => <Time at={created_at} /> },
];

/** Top-ups through the checkout, and packages. */
export function TopUps() {
	const { data, refresh } = useData(['top_ups', 'clock'], async () => await control.call('GET top-ups'));
	return (
		<>
			<div class="columns even">
				<NewTopUp onCreate={refresh} />
				<Packages />
			</div>
			<h2 class="list-title">All top-ups</h2>
			<Table
				caption="Top-ups"
				columns={topUpColumns}
				items={data?.toSorted((one, other) => other.created_at.localeCompare(one.created_at))}
				keyOf={({ reference }) => reference}
				empty={
					<EmptyState title="No top-ups yet">
						Create one above and pay it at the checkout. No real money moves.
					</EmptyState>
				}
			/>
		</>
	);
}

function NewTopUp({ onCreate }: { readonly onCreate: () => Promise<void> }) {
	/** Reference of the top-up that the form created last. */
	const [created, setCreated] = useState('');

	async function create(values: FormValues): Promise<void> {
		setCreated('');
		const { reference } = await control.call('POST top-ups', { body: values });
		await onCreate();
		setCreated(reference);
	}
	return (
		<Card title="Top up">
			<Hint>Creates a checkout link, as your program would. Pay by card or mobile money.</Hint>
			<Form action="Create a top-up" keep submit={create}>
				<Field
					name="amount"
					label={`Credit to add (${access.currency})`}
					kind="number"
					required
					value={20}
					hint="Amounts ending in .01 fail, .02 are abandoned, .03 stay pending, .04 get no prompt."
					min={0}
				/>
				<Field
					name="return_url"
					label="Return URL"
					kind="longUrl"
					hint="Optional. Must start with https://"
					placeholder="https://"
				/>
			</Form>
			<p class="done" role="status">
				{created !== '' && (
					<>
						The top-up is pending. <CheckoutLink reference={created} text="Open the checkout" />
					</>
				)}
			</p>
		</Card>
	);
}

function Packages() {
	const { data, refresh } = useData(['packages'], async () => await control.call('GET packages'));

	async function add(values: FormValues): Promise<void> {
		const { credits } = await control.call('POST packages', { body: values });
		showToast(`Credits added: ${formatCount(credits)}`);
		await refresh();
	}
	return (
		<Card title="Package credits">
			<Form action="Add a package" layout="line" keep submit={add}>
				<Field
					name="credits"
					label="Credits"
					kind="number"
					required
					value={100}
					hint="One credit pays for one SMS segment. Credits are used before the balance."
					min={1}
					step={1}
				/>
			</Form>
			<Table
				caption="Packages"
				columns={packageColumns}
				items={data}
				keyOf={({ id }) => id}
				empty={<EmptyState title="No packages">Messages are paid from the balance.</EmptyState>}
			/>
		</Card>
	);
}

interface CheckoutLinkProps {
	readonly reference: string;
	readonly text: string;
	/** Name for screen readers, if the text alone is ambiguous. */
	readonly label?: string;
}

function CheckoutLink({ reference, text, label }: CheckoutLinkProps) {
	return (
		<a
			href={`/checkout/${encodeURIComponent(reference)}`}
			target="_blank"
			rel="noopener"
			class="button small"
			aria-label={label}
		>
			{text}
		</a>
	);
}
