import { queueOf } from '../delivery/queues';
import type { EventType } from '../events/event';
import type { Services } from '../services';
import type { OwnForward } from '../settings';
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

const WHATSAPP_SUBSCRIPTION = 'sub_service_whatsapp';
const CALLBACK_SUBSCRIPTION = 'sub_callback';

/** A forward that continues although its variable is absent. */
export interface KeptForward {
	readonly variable: string;
	/** The value that ends the forward. */
	readonly off: string;
	readonly what: string;
	/** Where it goes. */
	readonly origin: string;
}

const FORWARDS: Readonly<Record<string, { readonly forward: OwnForward } & Omit<KeptForward, 'origin'>>> = {
	[SERVICE_SUBSCRIPTION]: { forward: 'sms', variable: 'RELAY_SERVICE_URL', off: 'off', what: 'Inbound SMS are' },
	[WHATSAPP_SUBSCRIPTION]: {
		forward: 'whatsapp',
		variable: 'RELAY_FORWARD_WHATSAPP',
		off: 'false',
		what: 'Inbound WhatsApp messages are',
	},
	[CALLBACK_SUBSCRIPTION]: {
		forward: 'callback',
		variable: 'RELAY_CALLBACK_URL',
		off: 'off',
		what: 'Receipts and alerts are',
	},
};

/**
 * Creates, updates or ends the relay's own subscriptions, as the settings say. They are subscriptions like all others,
 * so forwarding has the same durability, retries and log. A worker changes nothing, because others receive the events. A
 * forward whose variable is absent continues: a process that was started without it must not cancel a pending STOP.
 * @returns the forwards that continue like this
 */
export async function ensureOwnSubscriptions(services: Services): Promise<readonly KeptForward[]> {
	const { database, engine, cipher, settings } = services;
	if (settings.role === 'worker') return [];
	const wanted = ownSubscriptions(services);
	for (const { id } of wanted) await engine.createQueue(queueOf(id));
	await database.transaction(async (sql) => {
		// Of several processes that start at the same moment, the others find the rows of the first one.
		await sql.query('select pg_advisory_xact_lock(hashtext($1))', [SERVICE_SUBSCRIPTION]);
		for (const { id, kind, label, url, types } of wanted)
			await sql.query(
				`insert into relay.subscription (id, kind, identity, label, url, secret, types, state, created_at, updated_at)
			values ($1, $2, $1, $3, $4, $5, $6, 'active', $7, $7)
			on conflict (id) do update set identity = excluded.id, label = excluded.label, url = excluded.url, types = excluded.types,
				secret = excluded.secret,
				state = case when relay.subscription.state = 'paused' then 'paused' else 'active' end,
				reason = null, updated_at = excluded.updated_at`,
				[id, kind, label, url, cipher.seal(''), [...types], new Date()],
			);
	});
	const known = await database.query<{ id: string; url: string }>(
		`select id, url from relay.subscription where kind in ('service', 'callback') and state <> 'removed' order by id`,
	);
	const kept: KeptForward[] = [];
	for (const { id, url } of known.filter((row) => !wanted.some((one) => one.id === row.id))) {
		const own = FORWARDS[id];
		if (own && !settings.offForwards.includes(own.forward)) kept.push({ ...own, origin: new URL(url).origin });
		else await endSubscription(services, id, 'Its setting was turned off');
	}
	return kept;
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
	const whatsapp = { id: WHATSAPP_SUBSCRIPTION, label: 'Forward WhatsApp messages to the service' };
	if (forwardWhatsapp) add({ ...whatsapp, kind: 'callback', types: ['whatsapp.inbound'] }, inbound('whatsapp'));
	const callback = { id: CALLBACK_SUBSCRIPTION, label: 'Previous callback URL' };
	add({ ...callback, kind: 'callback', types: ['message.status', 'wallet.low_balance'] }, callbackUrl);
	return own;
}
