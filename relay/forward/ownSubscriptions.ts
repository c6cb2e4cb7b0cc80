import { queueOf } from '../delivery/queues';
import type { EventType } from '../events/event';
import type { Services } from '../services';
import { endSubscription } from '../subscriptions/subscriptions';
import { inboundWebhookUrl } from '../../shared/index';

interface OwnSubscription {
	readonly id: string;
	readonly kind: 'service' | 'callback';
	readonly label: string;
	readonly url: string;
	readonly types: readonly EventType[];
}

/** The ID of the subscription that forwards inbound messages to the service. */
export const SERVICE_SUBSCRIPTION = 'sub_service';

/**
 * Creates, updates or removes the relay's own subscriptions, as the settings say. They are subscriptions like all others,
 * so forwarding has the same durability, retries and log.
 */
export async function ensureOwnSubscriptions(services: Services): Promise<void> {
	const { database, engine, cipher } = services;
	const wanted = ownSubscriptions(services);
	for (const { id, kind, label, url, types } of wanted) {
		await engine.createQueue(queueOf(id));
		await database.query(
			`insert into relay.subscription (id, kind, identity, label, url, secret, types, state, created_at, updated_at)
			values ($1, $2, $1, $3, $4, $5, $6, 'active', $7, $7)
			on conflict (id) do update set identity = excluded.id, label = excluded.label, url = excluded.url, types = excluded.types,
				state = case when relay.subscription.state = 'paused' then 'paused' else 'active' end,
				reason = null, updated_at = excluded.updated_at`,
			[id, kind, label, url, cipher.seal(''), [...types], new Date()],
		);
	}
	const known = await database.query<{ id: string }>(
		`select id from relay.subscription where kind in ('service', 'callback') and state <> 'removed'`,
	);
	for (const { id } of known) {
		if (!wanted.some((one) => one.id === id)) await endSubscription(services, id, 'Its setting was removed');
	}
}

function ownSubscriptions({ settings }: Services): OwnSubscription[] {
	const { serviceUrl, callbackUrl, forwardWhatsapp } = settings;
	const service = serviceUrl === '' ? undefined : inboundWebhookUrl(serviceUrl, '');
	const inbound: readonly EventType[] = forwardWhatsapp ? ['sms.inbound', 'whatsapp.inbound'] : ['sms.inbound'];
	const callback: readonly EventType[] = ['message.status', 'wallet.low_balance'];
	return [
		...(service === undefined
			? []
			: [
					{
						id: SERVICE_SUBSCRIPTION,
						kind: 'service' as const,
						label: 'Forward to the service',
						url: service,
						types: inbound,
					},
				]),
		...(callbackUrl === ''
			? []
			: [
					{
						id: 'sub_callback',
						kind: 'callback' as const,
						label: 'Previous callback URL',
						url: callbackUrl,
						types: callback,
					},
				]),
	];
}
