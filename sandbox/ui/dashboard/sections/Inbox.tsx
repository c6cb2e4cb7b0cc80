import type { InboxRow } from '../../../control/account';
import { Hint } from '../../../../ui/Card';
import { toUrl } from '../../../../ui/router';
import { type Column, EmptyState, Table } from '../../../../ui/Table';
import { Time } from '../../../../ui/Time';
import { control } from '../client';
import { channelName, StatusBadge } from '../StatusBadge';
import { useData } from '../../useData';

/** What a keyword did. */
const EFFECTS = { opt_out: 'opted out', opt_in: 'opted in' };

const columns: readonly Column<InboxRow>[] = [
	{
		title: 'Text',
		wide: true,
		lead: true,
		draw: ({ message }) => (
			<span class="text" dir="auto">
				{message}
			</span>
		),
	},
	{ title: 'From', draw: ({ from }) => <Sender address={from} /> },
	{ title: 'To', draw: ({ to }) => to },
	{ title: 'Channel', draw: ({ channel }) => channelName(channel) },
	{
		title: 'Effect',
		draw: ({ keyword }) => (keyword === null ? '–' : <StatusBadge status={keyword} label={EFFECTS[keyword]} />),
	},
	{ title: 'Time', draw: ({ received_at }) => <Time at={received_at} /> },
];

/** The inbound messages. */
export function Inbox() {
	const { data } = useData(['inbox'], async () => await control.call('GET inbox'));
	return (
		<>
			<Hint>Inbound messages to your sender IDs and numbers.</Hint>
			<Table
				caption="Inbound messages, newest first"
				columns={columns}
				items={data}
				keyOf={({ id }) => id}
				empty={
					<EmptyState title="No inbound messages yet">
						Open the <a href={toUrl('phone')}>phone</a> and send one from it.
					</EmptyState>
				}
			/>
		</>
	);
}

/** A sender, with a link to its phone if it is a number. */
function Sender({ address }: { readonly address: string }) {
	if (!/^\+\d+$/.test(address)) return <>{address}</>;
	return (
		<a href={toUrl('phone', address)} class="figures">
			{address}
		</a>
	);
}
