import type { BatchRow, MessageRow } from '../../../control/messages';
import { FilterBar } from '../../../../ui/FilterBar';
import { FilteredList, useFilteredList } from '../../../../ui/FilteredList';
import { filtersOf } from '../../../../ui/filters';
import { formatAmount, formatCount } from '../../../../ui/format';
import { toUrl } from '../../../../ui/router';
import { type Column, EmptyState, Table } from '../../../../ui/Table';
import { Time } from '../../../../ui/Time';
import { access } from '../access';
import type { SectionProps } from '../../../../ui/Frame';
import { control } from '../client';
import { MessagePanel } from '../MessagePanel';
import { channelName, StatusBadge, textOf } from '../StatusBadge';
import { useData } from '../../useData';

/** Number of bulk sends on the page. */
const BATCHES = 50;
const channels = ['sms', 'whatsapp', 'email', 'voice'].map((value) => ({ value, label: channelName(value) }));
const statuses = ['queued', 'submitted', 'sent', 'delivered', 'failed'].map((value) => ({ value, label: value }));

const selects = [
	{ name: 'channel', label: 'Channel', options: channels },
	{ name: 'status', label: 'Status', options: statuses },
] as const;

/** Every message, with the timeline of each in a side panel. */
export function Messages({ place }: SectionProps) {
	const filters = filtersOf('messages', place, ['channel', 'status', 'batch']);
	const list = useFilteredList(
		['messages', 'batches'],
		filters,
		async ({ batch, ...query }) => await control.page('GET messages', { query: { ...query, batch_id: batch } }),
	);
	const columns: readonly Column<MessageRow>[] = [
		{ title: 'Text', wide: true, lead: true, draw: (row) => <Text row={row} href={filters.urlOf(row.message_id)} /> },
		{ title: 'To', draw: ({ to }) => <span class="figures">{to}</span> },
		{ title: 'From', draw: ({ sender_id }) => <span class="figures">{sender_id}</span> },
		{ title: 'Channel', draw: ({ channel }) => channelName(channel) },
		{ title: 'Status', draw: ({ status }) => <StatusBadge status={status} /> },
		{ title: `Cost (${access.currency})`, number: true, draw: (row) => <Cost {...row} /> },
		{ title: 'Time', draw: ({ created_at }) => <Time at={created_at} /> },
	];
	return (
		<>
			<FilterBar filters={filters} searchHint="Part of the text, number or address, or an ID" selects={selects} />
			{filters.valueOf('batch') && (
				<p class="buttons only">
					Only messages of one bulk send
					<button type="button" class="small" onClick={filters.clear}>
						Show all messages
					</button>
				</p>
			)}
			<BulkSends />
			<FilteredList
				caption="Messages, newest first"
				columns={columns}
				keyOf={({ message_id }) => message_id}
				list={list}
				filters={filters}
				what="messages"
				empty={<NoMessages />}
			/>
			{place.id && <MessagePanel key={place.id} id={place.id} onClose={filters.close} />}
		</>
	);
}

function NoMessages() {
	return (
		<EmptyState title="No messages yet">
			Send the first one from the <a href={toUrl('overview')}>overview</a>, or connect n8n or Zapier with the base URL
			and key shown there.
		</EmptyState>
	);
}

function Text({ row: { message, subject }, href }: { readonly row: MessageRow; readonly href: string }) {
	return (
		<a href={href} class="text" dir="auto">
			{textOf(subject ? `${subject}: ${message}` : message)}
		</a>
	);
}

function Cost({ cost, billed_via, status }: MessageRow) {
	if (billed_via === 'package') return <>package</>;
	return (
		<span>
			{formatAmount(cost)}
			{status === 'failed' && <span class="sub">refunded</span>}
		</span>
	);
}

const batchColumns: readonly Column<BatchRow>[] = [
	{
		title: 'Text',
		lead: true,
		wide: true,
		draw: ({ batch_id, message }) => (
			<a href={toUrl('messages', undefined, { batch: batch_id })} class="text" dir="auto">
				{textOf(message)}
			</a>
		),
	},
	{ title: 'From', draw: ({ sender_id }) => sender_id },
	{ title: 'Queued', number: true, draw: ({ made, total }) => `${formatCount(made)} of ${formatCount(total)}` },
	{ title: 'From packages', number: true, draw: ({ paid_by_packages }) => formatCount(paid_by_packages) },
	{ title: 'Send time', draw: ({ scheduled_at, created_at }) => <Time at={scheduled_at ?? created_at} /> },
];

/** The bulk sends with their progress, if there are any. */
function BulkSends() {
	const { data } = useData(['batches'], async () => await control.call('GET batches'));
	if (!data || data.length === 0) return null;
	const newest = data.toSorted((one, other) => other.created_at.localeCompare(one.created_at)).slice(0, BATCHES);
	return (
		<details class="bulk">
			<summary>{data.length === 1 ? '1 bulk send' : `${formatCount(data.length)} bulk sends`}</summary>
			<Table
				caption="Bulk sends, newest first"
				columns={batchColumns}
				items={newest}
				keyOf={({ batch_id }) => batch_id}
				empty="None."
			/>
		</details>
	);
}
