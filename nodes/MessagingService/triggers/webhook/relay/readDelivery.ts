import type { IWebhookFunctions, ICredentialDataDecryptedObject } from 'n8n-workflow';
import { z } from 'zod/v4';
import { inboundKeyword, parseEventItem, parseJson, type EventItem } from '../../../../../shared/index';
import type { Arrival } from '../arrival';
import type { Rejection } from '../rejection';
import type { TriggerSettings } from '../triggerSettings';
import { relayTypes } from './relayTypes';
import { createHmac, timingSafeEqual } from 'crypto';
import { webhookCredential } from '../webhookCredential';
import { readRelayAccess, RELAY_CREDENTIAL, relayKey, relayReference } from './relayCredential';

/** An event as the relay delivers it. */
const relayEvent = z.object({
	id: z.string().min(1),
	type: z.string(),
	timestamp: z.string(),
	data: z.record(z.string(), z.unknown()),
});

/**
 * Reads the events of a request from the relay: one, or a list. Keywords are found again with the Custom Keywords of
 * this trigger. Events of other types, such as the relay's test event, are left out.
 */
export function readDelivery(
	context: IWebhookFunctions,
	{ triggerOn, customKeywords, options }: TriggerSettings,
): readonly Arrival[] | Rejection {
	const { rawBody } = context.getRequestObject();
	const parsed = parseJson(Buffer.isBuffer(rawBody) ? rawBody.toString('utf8') : undefined)?.value;
	const delivered = z.array(relayEvent).safeParse(Array.isArray(parsed) ? parsed : [parsed]);
	if (!delivered.success) return unreadable();
	const { 'webhook-replay': replay } = context.getHeaderData();
	const wanted = relayTypes(triggerOn, options);
	const arrivals: Arrival[] = [];
	for (const { id, type, timestamp, data } of delivered.data.filter((event) => wanted.includes(event.type))) {
		const details = { event_id: id, received_at: timestamp };
		const relayed = { id, replay: typeof replay === 'string' ? replay : undefined };
		if (type === 'unrecognized') {
			arrivals.push({ item: { event: type }, details: { ...data, event: type, ...details }, relayed });
			continue;
		}
		const item = parseEventItem(data);
		if (item?.event !== type) return unreadable();
		arrivals.push({ item: withKeyword(item, customKeywords), details, relayed });
	}
	return arrivals;
}

/** The relay knows no Custom Keywords. It knows sender IDs, so its STOP stays one. */
function withKeyword(item: EventItem, customKeywords: readonly string[]): EventItem {
	if (!('message' in item) || item.keyword === 'stop') return item;
	return { ...item, keyword: inboundKeyword(item, { customKeywords }) };
}

/** The relay keeps such an event, and a person sees it there. */
function unreadable(): Rejection {
	const message = 'This node cannot read the event of the relay. Install the versions of both that belong together';
	return { status: 422, reason: 'event of the relay cannot be read', message };
}

/** How old or how far ahead a timestamp may be, in seconds (Standard Webhooks, "Verifying the timestamp"). */
const TOLERANCE_SECONDS = 300;

/**
 * Checks that a request comes from the relay, by its signature (https://www.standardwebhooks.com).
 * @returns undefined if it does
 */
export async function checkRelaySignature(context: IWebhookFunctions): Promise<Rejection | undefined> {
	const check = (credential: ICredentialDataDecryptedObject) => checkWith(context, credential);
	const credential = await webhookCredential(context, RELAY_CREDENTIAL, (kept) => check(kept) === undefined);
	return credential ? check(credential) : { status: 503, reason: 'credential cannot be read' };
}

function checkWith(context: IWebhookFunctions, credential: ICredentialDataDecryptedObject): Rejection | undefined {
	const access = readRelayAccess(credential);
	if (typeof access === 'string') return { status: 503, reason: 'credential cannot be used' };
	const headers = context.getHeaderData();
	const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': given } = headers;
	if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof given !== 'string') {
		const message = 'This trigger receives events through the relay only. The headers with its signature are missing';
		return { status: 401, reason: 'no signature of the relay', message };
	}
	const { rawBody } = context.getRequestObject();
	const ids = [context.getInstanceId(), String(context.getWorkflow().id), context.getNode().id] as const;
	const key = relayKey(access.token, relayReference(ids, context.getMode() === 'manual'));
	if (!Buffer.isBuffer(rawBody) || !isSigned(given, [Buffer.from(`${id}.${timestamp}.`), rawBody], key)) {
		const message = 'The signature does not match. Publish the workflow again to register it with the same token';
		return { status: 401, reason: 'wrong signature of the relay', message };
	}
	// After the signature, so that a forged request learns nothing about the clock.
	const seconds = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NaN;
	if (Math.abs(Date.now() / 1000 - seconds) <= TOLERANCE_SECONDS) return undefined;
	const message = 'The timestamp is more than five minutes off. Compare the clocks of the relay and of n8n';
	return { status: 401, reason: 'signature of the relay too old or too new', message };
}

/**
 * Whether one of the signatures matches. Compares in constant time.
 * @param given separated by spaces, each `v1,` and Base64
 * @param content the signed bytes in order
 */
function isSigned(given: string, content: readonly Buffer[], key: Buffer): boolean {
	const expected = createHmac('sha256', key).update(Buffer.concat(content)).digest();
	return given
		.split(' ')
		.filter((one) => one.startsWith('v1,'))
		.map((one) => Buffer.from(one.slice('v1,'.length), 'base64'))
		.some((one) => one.length === expected.length && timingSafeEqual(one, expected));
}
