import type { Subscription } from '../../../subscriptions/schema';
import { Ago } from '../../../../ui/Ago';
import type { SectionProps } from '../../../../ui/Frame';
import { goTo, toUrl } from '../../../../ui/router';
import { shortUrl } from '../../../../ui/shortUrl';
import { type Column, EmptyState, Table } from '../../../../ui/Table';
import { relay } from '../client';
import { Health, PauseButton, SubscriptionPanel } from '../SubscriptionPanel';
import { useData } from '../useData';
import { filterInWords, nameOf, typesInWords } from '../words';

/** The subscriptions with their health and lag. */
export function Subscriptions({ place }: SectionProps) {
	const { data, refresh } = useData(
		['subscriptions', 'deliveries', 'events', 'tokens'],
		async () => (await relay.call('GET v1/subscriptions')).data,
	);
	const columns: readonly Column<Subscription>[] = [
		{ title: 'Subscription', lead: true, wide: true, draw: (one) => <Name subscription={one} /> },
		{ title: 'URL', draw: ({ url }) => <span class="code breakable">{shortUrl(url)}</span> },
		{ title: 'Gets', wide: true, draw: (one) => <Wanted subscription={one} /> },
		{ title: 'Health', draw: (one) => <Health subscription={one} /> },
		{ title: 'Pending', number: true, draw: (one) => <Pending subscription={one} /> },
		{ title: 'Actions', hideTitle: true, draw: (one) => <PauseButton subscription={one} onChange={refresh} /> },
	];
	return (
		<>
			<Table
				caption="Subscriptions"
				columns={columns}
				items={data}
				keyOf={({ id }) => id}
				empty={
					<EmptyState title="No subscriptions yet">
						Create a <a href={toUrl('tokens')}>token</a>, then enter it with the relay URL in n8n or Zapier. An active
						workflow or Zap appears here.
					</EmptyState>
				}
			/>
			{place.id && data && (
				<SubscriptionPanel
					key={place.id}
					subscription={data.find(({ id }) => id === place.id)}
					onChange={refresh}
					onClose={() => goTo(toUrl('subscriptions'))}
				/>
			)}
		</>
	);
}

interface CellProps {
	readonly subscription: Subscription;
}

function Name({ subscription }: CellProps) {
	const { id, kind, token } = subscription;
	return (
		<span>
			<a href={toUrl('subscriptions', id)} class="text">
				{nameOf(subscription)}
			</a>
			<span class="sub">{token ? `${kind}, token “${token.name}”` : 'The relay’s own'}</span>
		</span>
	);
}

function Wanted({ subscription: { types, filter } }: CellProps) {
	const words = filterInWords(filter);
	return (
		<span>
			{typesInWords(types)}
			{words !== '' && <span class="sub">{words}</span>}
		</span>
	);
}

function Pending({ subscription: { health } }: CellProps) {
	const { pending, failed, expired, oldest_pending_at } = health;
	return (
		<span>
			{pending}
			{oldest_pending_at && (
				<span class="sub">
					oldest: <Ago at={oldest_pending_at} plain />
				</span>
			)}
			{failed > 0 && <span class="sub">{failed} failed</span>}
			{expired > 0 && <span class="sub">{expired} expired</span>}
		</span>
	);
}
