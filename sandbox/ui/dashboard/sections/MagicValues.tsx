import type { MagicValue } from '../../../simulation/magicValues';
import { Hint } from '../../../../ui/Card';
import { CopyButton } from '../../../../ui/CopyButton';
import { type Column, Table } from '../../../../ui/Table';
import { control } from '../client';
import { useData } from '../../useData';

const columns: readonly Column<MagicValue>[] = [
	{ title: 'Value', lead: true, draw: ({ value }) => <span class="code">{value}</span> },
	{ title: 'What happens', wide: true, draw: ({ effect }) => effect },
];
const copyable: readonly Column<MagicValue>[] = [
	...columns,
	{ title: 'Actions', hideTitle: true, draw: ({ value }) => <CopyButton value={value} what={value} /> },
];

interface Group {
	readonly kind: MagicValue['kind'];
	readonly title: string;
	readonly hint: string;
	readonly columns: readonly Column<MagicValue>[];
}

const groups: readonly Group[] = [
	{
		kind: 'number',
		title: 'Phone numbers',
		hint: 'Send to one of these and see how your workflow handles it.',
		columns: copyable,
	},
	{ kind: 'code', title: 'One-time codes', hint: 'Check a verification with one of these.', columns: copyable },
	{
		kind: 'amount',
		title: 'Top-up amounts',
		hint: 'Create a top-up with such an amount and open its checkout.',
		columns,
	},
	{ kind: 'email', title: 'Email addresses', hint: 'Send an email to such an address.', columns },
];

/** The values with a special effect in the sandbox. */
export function MagicValues() {
	const { data: values } = useData([], async () => await control.call('GET magic-values'));
	return (
		<>
			<Hint>Values with a fixed effect, so you can test every case.</Hint>
			{values &&
				groups.map(({ kind, title, hint, columns }) => (
					<section key={kind}>
						<h2 class="list-title">{title}</h2>
						<Hint>{hint}</Hint>
						<Table
							caption={title}
							columns={columns}
							items={values.filter((value) => value.kind === kind)}
							keyOf={({ value }) => value}
							empty="None."
						/>
					</section>
				))}
		</>
	);
}
