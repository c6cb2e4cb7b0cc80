import { Ago } from '../../../../ui/Ago';
import { Badge } from '../../../../ui/Badge';
import { FilterBar } from '../../../../ui/FilterBar';
import { FilteredList, type Rows, useFilteredList } from '../../../../ui/FilteredList';
import { filtersOf } from '../../../../ui/filters';
import type { SectionProps } from '../../../../ui/Frame';
import type { Query } from '../../../../ui/request';
import { toUrl } from '../../../../ui/router';
import { type Column, EmptyState } from '../../../../ui/Table';
import { type ListedEvent, relay } from '../client';
import { EventPanel } from '../EventPanel';
import { DELIVERY_TONES, describeEvent, partiesOf, TYPES } from '../words';

/** Most events in one response. */
const MOST = 100;

const selects = [
	{ name: 'type', label: 'Type', options: Object.entries(TYPES).map(([value, label]) => ({ value, label })) },
] as const;

/** The events, live, with a search. */
export function Events({ place }: SectionProps) {
	const filters = filtersOf('events', place, ['type']);
	const list = useFilteredList(['events', 'deliveries'], filters, load);
	const columns: readonly Column<ListedEvent>[] = [
		{ title: 'Event', lead: true, wide: true, draw: (event) => <Name event={event} href={filters.urlOf(event.id)} /> },
		{ title: 'Type', draw: ({ type }) => TYPES[type] ?? type },
		{ title: 'Deliveries', draw: ({ deliveries }) => <Counts deliveries={deliveries} /> },
		{ title: 'Received', draw: ({ timestamp }) => <Ago at={timestamp} /> },
	];
	return (
		<>
			<FilterBar
				filters={filters}
				searchHint="Part of a text or number, a message ID or an event ID"
				selects={selects}
			/>
			<FilteredList
				caption="Events, newest first"
				columns={columns}
				keyOf={({ id }) => id}
				list={list}
				filters={filters}
				what="events"
				empty={
					<EmptyState title="No events yet">
						Paste the callback URL of the <a href={toUrl('overview')}>overview</a> into the dashboard of the service,
						then send a message. Its receipts appear here.
					</EmptyState>
				}
			/>
			{place.id && <EventPanel key={place.id} id={place.id} onClose={filters.close} />}
		</>
	);
}

/** Reads as many events as the list shows, which may take several requests. */
async function load({ search, type, limit }: Query & { readonly limit: number }): Promise<Rows<ListedEvent>> {
	const items: ListedEvent[] = [];
	let hasMore = true;
	while (hasMore && items.length < limit) {
		const before = items.at(-1)?.id;
		const query = { q: search, type, before, limit: Math.min(MOST, limit - items.length), deliveries: 'count' };
		const { data, has_more } = await relay.call('GET v1/events', { query });
		items.push(...data);
		hasMore = has_more && data.length > 0;
	}
	return { items, hasMore };
}

function Name({ event, href }: { readonly event: ListedEvent; readonly href: string }) {
	const parties = partiesOf(event);
	return (
		<span>
			<a href={href} class="text" dir="auto">
				{describeEvent(event)}
			</a>
			{parties !== '' && <span class="sub">{parties}</span>}
		</span>
	);
}

const STATES = ['delivered', 'pending', 'failed', 'canceled'] as const;

function Counts({ deliveries }: Pick<ListedEvent, 'deliveries'>) {
	const shown = STATES.filter((state) => (deliveries?.[state] ?? 0) > 0);
	if (shown.length === 0) return <Badge tone="plain">none</Badge>;
	return (
		<span class="badges">
			{shown.map((state) => (
				<Badge key={state} tone={DELIVERY_TONES[state]}>
					{deliveries?.[state]} {state}
				</Badge>
			))}
		</span>
	);
}
