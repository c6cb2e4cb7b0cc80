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
				secret = excluded.secret,
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
	const own: OwnSubscription[] = [];
	const add = (one: Omit<OwnSubscription, 'url'>, url = '') => {
		if (url !== '') own.push({ ...one, url });
	};
	const inbound = (channel: 'sms' | 'whatsapp') =>
		serviceUrl === '' ? undefined : inboundWebhookUrl(serviceUrl, '', channel);
	add(
		{ id: SERVICE_SUBSCRIPTION, kind: 'service', label: 'Forward to the service', types: ['sms.inbound'] },
		inbound('sms'),
	);
	// Unchanged, because the API does not document what its WhatsApp webhook expects.
	const whatsapp = { id: 'sub_service_whatsapp', label: 'Forward WhatsApp messages to the service' };
	if (forwardWhatsapp) add({ ...whatsapp, kind: 'callback', types: ['whatsapp.inbound'] }, inbound('whatsapp'));
	const callback = { id: 'sub_callback', label: 'Previous callback URL' };
	add({ ...callback, kind: 'callback', types: ['message.status', 'wallet.low_balance'] }, callbackUrl);
	return own;
}
