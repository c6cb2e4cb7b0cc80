import type { z } from 'zod/v4';
import { UNREAD_MESSAGE } from '../events/ingestRoutes';
import type { Send } from '../sends/schema';
import type { NewSubscription, Subscription } from '../subscriptions/schema';
import { RELAY_VERSION } from '../version';
import type { EventDetail, eventSchema, meSchema, receivedSchema, Status, Token } from './schemas';

/** Examples of the API's description. */

const at = '2026-11-22T01:06:18.104Z';

/** See `newSubscriptionSchema`. */
export const newSubscription: NewSubscription = {
	url: 'https://n8n.example.com/webhook/1f3a/message-status',
	types: ['message.status'],
	filter: { statuses: ['delivered', 'failed'] },
	reference: 'n8n/1a2b/workflow-7/trigger',
	label: 'Receipts of Kofi’s shop',
};

/** See `subscriptionSchema`. */
export const subscription: Subscription = {
	id: 'sub_5d41402abc4b2a76b9719d91',
	url: 'https://n8n.example.com/webhook/1f3a/message-status',
	types: ['message.status'],
	filter: { statuses: ['delivered', 'failed'] },
	reference: 'n8n/1a2b/workflow-7/trigger',
	label: 'Receipts of Kofi’s shop',
	batch: null,
	kind: 'n8n',
	state: 'active',
	reason: null,
	created_at: at,
	updated_at: at,
	token: { id: 'tok_0a1b2c3d4e5f6071', name: 'n8n of Kofi' },
	health: {
		pending: 0,
		failed: 0,
		expired: 0,
		oldest_pending_at: null,
		oldest_expires_at: null,
		failing_since: null,
		next_probe_at: null,
		last_success_at: at,
		last_attempt: { at, ms: 38, status: 200, error: null },
	},
};

/** See `eventSchema`. */
export const event: z.output<typeof eventSchema> = {
	id: 'evt_019a2b3c4d5e7f60a1b2c3d4e5f60718',
	type: 'message.status',
	timestamp: at,
	sequence: 1234,
	data: {
		event: 'message.status',
		message_id: 'msg_1',
		status: 'delivered',
		to: '+233201234567',
		channel: 'sms',
		provider_status: null,
	},
};

/** See `eventDetailSchema`. */
export const eventDetail: EventDetail = {
	...event,
	late: false,
	copies: 1,
	body: '{"message_id":"msg_1","status":"delivered","to":"+233201234567","channel":"sms"}',
	content_type: 'application/json',
	deliveries: [
		{
			id: `${subscription.id}:${event.id}`,
			subscription: { id: subscription.id, label: subscription.label, url: subscription.url },
			state: 'delivered',
			attempts: 1,
			replays: 0,
			next_attempt_at: null,
			settled_at: at,
			tries: [{ at, ms: 38, status: 200, error: null }],
		},
	],
};

/** See `receivedSchema`. */
export const received: z.output<typeof receivedSchema> = { received: true, id: event.id, duplicate: false };

/** See `receivedSchema`. */
export const unrecognized: z.output<typeof receivedSchema> = {
	...received,
	recognized: false,
	message: UNREAD_MESSAGE,
};

/** See `tokenSchema`. */
export const token: Token = {
	id: 'tok_0a1b2c3d4e5f6071',
	name: 'n8n of Kofi',
	kind: 'n8n',
	created_at: at,
	last_used_at: at,
};

/** See `meSchema`. */
export const me: z.output<typeof meSchema> = {
	token: { id: token.id, name: token.name, kind: token.kind },
	relay: { version: RELAY_VERSION },
	service_url: 'https://service.example',
	last_event_at: at,
};

/** See `sendSchema`. */
export const send: Send = {
	id: 'snd_5d41402abc4b2a76b9719d91',
	state: 'unknown',
	mode: 'live',
	endpoint: 'sms.send',
	to: '+233201234567',
	to_end: '4567',
	erased: false,
	message_id: null,
	status: null,
	settled_by: null,
	created_at: at,
	settled_at: at,
};

const ingestUrl = 'https://relay.example.com/in/SECRET';

/** See `statusSchema`. */
export const status: Status = {
	version: RELAY_VERSION,
	database: 'folder',
	public_url: 'https://relay.example.com',
	ingest: { url: ingestUrl, sms_url: `${ingestUrl}/sms`, whatsapp_url: `${ingestUrl}/whatsapp` },
	last_events: { 'sms.inbound': null, 'message.status': at },
	events_24h: 310,
	unrecognized_messages_24h: 0,
	subscriptions: { active: 3, paused: 0, disabled: 0 },
	pending: 0,
	unknown_sends: 0,
	retention_days: 30,
	forwarding: { enabled: true, pending: 0, failed: 0, failing_since: null, last_error: null },
	forwards: [
		{
			subscription: 'sub_service',
			label: 'Forward to the service',
			trouble: null,
			pending: 0,
			failed: 0,
			oldest_pending_at: null,
			failing_since: null,
			last_error: null,
		},
	],
};
