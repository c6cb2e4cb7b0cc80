import type { TransactionRow } from '../../../control/wallet';
import { Card, Hint } from '../../../../ui/Card';
import { FilterBar } from '../../../../ui/FilterBar';
import { FilteredList, useFilteredList } from '../../../../ui/FilteredList';
import { filtersOf } from '../../../../ui/filters';
import { Field, Form, type FormValues } from '../../../../ui/Form';
import { formatAmount, formatSigned } from '../../../../ui/format';
import { toUrl } from '../../../../ui/router';
import { type Column, EmptyState } from '../../../../ui/Table';
import { Time } from '../../../../ui/Time';
import { showToast } from '../../../../ui/Toast';
import { access, formatMoney } from '../access';
import { control } from '../client';
import type { SectionProps } from '../../../../ui/Frame';
import { formatWord } from '../StatusBadge';

const columns: readonly Column<TransactionRow>[] = [
	{ title: 'Description', lead: true, wide: true, draw: (row) => <Description {...row} /> },
	{ title: 'Type', draw: ({ type }) => formatWord(type) },
	{
		title: `Amount (${access.currency})`,
		number: true,
		draw: ({ amount }) => <span class={amount > 0 ? 'plus' : undefined}>{formatSigned(amount)}</span>,
	},
	{ title: `Balance (${access.currency})`, number: true, draw: ({ balance }) => formatAmount(balance) },
	{ title: 'Time', draw: ({ created_at }) => <Time at={created_at} /> },
];

const types = ['topup', 'debit', 'refund', 'adjustment'].map((value) => ({ value, label: formatWord(value) }));
const selects = [{ name: 'type', label: 'Type', options: types }] as const;

/** The wallet's transactions, and a form that adds one. */
export function Transactions({ place }: SectionProps) {
	const filters = filtersOf('transactions', place, ['type']);
	const list = useFilteredList(['wallet'], filters, async (query) => await control.page('GET transactions', { query }));

	async function adjust(values: FormValues): Promise<void> {
		const { balance } = await control.call('POST wallet/adjust', { body: values });
		showToast(`Balance: ${formatMoney(balance)}`);
		await list.refresh();
	}
	return (
		<>
			<FilterBar filters={filters} searchHint="Part of the description, or an ID" selects={selects} />
			<FilteredList
				caption="Transactions, newest first"
				columns={columns}
				keyOf={({ id }) => id}
				list={list}
				filters={filters}
				what="transactions"
				empty={<EmptyState title="No transactions here">Every charge, refund and top-up appears here.</EmptyState>}
			/>
			<Card title="Adjust the balance">
				<Hint>Adds a transaction of type adjustment.</Hint>
				<Form action="Adjust balance" submit={adjust}>
					<Field
						name="amount"
						label={`Amount (${access.currency})`}
						kind="number"
						required
						hint="A negative amount takes money out, such as -35 to test a low balance."
					/>
					<Field name="description" label="Reason" hint="Optional" maxLength={100} />
				</Form>
			</Card>
		</>
	);
}

function Description({ description, message_id, type, reference }: TransactionRow) {
	const text = description || formatWord(type);
	if (message_id) return <a href={toUrl('messages', message_id)}>{text}</a>;
	return (
		<span>
			{text}
			{reference && <span class="sub code">{reference}</span>}
		</span>
	);
}
