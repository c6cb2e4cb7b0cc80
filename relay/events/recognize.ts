import { createHash } from 'node:crypto';
import {
	eventIdentity,
	eventItem,
	readBody,
	recognizeEvent,
	type EventItem,
	type IdentityParts,
} from '../../shared/index';
import { HttpError } from '../http/httpError';
import type { IncomingEvent } from './incoming';
import { storable } from './jsonbText';
import { parseMultipart } from './multipart';

/** A request to the ingest URL. */
export interface IncomingRequest {
	readonly contentType: string;
	readonly bytes: Uint8Array;
	/** Says that a message is one of these, because its body does not. */
	readonly inboundAs?: 'inboundSms' | 'inboundWhatsapp';
}

/** How long an unrecognized request with the same body is a duplicate, in milliseconds. */
const UNRECOGNIZED_KNOWN_MS = 60_000;

/**
 * Makes the event of a request. Whatever is not one of the service's events is kept as `unrecognized`.
 * @param options the deduplication window for inbound messages without an ID, and the sender IDs of the account
 * @throws HttpError 415 for a text in an unknown character set
 */
export async function recognize(
	{ contentType, bytes, inboundAs }: IncomingRequest,
	options: { readonly deduplicationWindowSeconds: number; readonly senderIds: readonly string[] },
): Promise<IncomingEvent> {
	const raw = { body: bytes, contentType: contentType === '' ? null : contentType };
	const read = storable(readBody({ contentType, bytes, parsed: await parseMultipart(contentType, bytes) }));
	if ('problem' in read && read.problem === 'unknown_charset') throw wrongCharset();
	const event = 'fields' in read ? recognizeEvent(read.fields, inboundAs && [inboundAs]) : undefined;
	if (event === undefined) {
		const atInboundUrl = inboundAs !== undefined;
		const kind = atInboundUrl ? 'unrecognized message' : 'unrecognized';
		return {
			type: 'unrecognized',
			data: { event: 'unrecognized', body: 'body' in read ? read.body : null },
			orderKey: null,
			urgent: false,
			party: null,
			identity: { digest: digest([kind, contentType, bytes]), knownMs: UNRECOGNIZED_KNOWN_MS },
			atInboundUrl,
			...raw,
		};
	}
	const item = eventItem(event, { senderIds: options.senderIds });
	return { ...describe(item, options.deduplicationWindowSeconds), ...raw };
}

function describe(item: EventItem, deduplicationWindowSeconds: number): Omit<IncomingEvent, 'body' | 'contentType'> {
	const { parts, knownMs, ends } = eventIdentity(item, { deduplicationWindowSeconds });
	const identity = { digest: digest(parts), knownMs, ...(ends && { ends: digest(ends) }) };
	const common = { type: item.event, data: { ...item }, item, urgent: false };
	switch (item.event) {
		case 'sms.inbound':
		case 'whatsapp.inbound': {
			const isStop = item.keyword === 'stop';
			// The order of STOP and START decides whether messages may be sent. Other messages are independent.
			const isChoice = isStop || item.keyword === 'start';
			const orderKey = isChoice ? indexable(`choice:${item.from}:${item.to ?? ''}`) : null;
			return { ...common, urgent: isStop, orderKey, party: indexable(item.from), identity };
		}
		case 'message.status': {
			const messageId = indexable(item.message_id);
			return {
				...common,
				orderKey: `message:${messageId}`,
				party: item.to === null ? null : indexable(item.to),
				receipt: { messageId, status: item.status },
			};
		}
		case 'wallet.low_balance':
			return { ...common, orderKey: null, party: null, identity };
	}
}

/** Most characters of a text in an index. PostgreSQL rejects an index entry of more than 2,704 bytes. */
const MOST_INDEXED = 300;

/** A longer text becomes its digest, because only equality matters. */
function indexable(text: string): string {
	return text.length <= MOST_INDEXED ? text : `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

function wrongCharset(): HttpError {
	const message = 'The character set of Content-Type is unknown, or the body is not in it. Send UTF-8.';
	return new HttpError(415, 'unsupported_media_type', message);
}

function digest(parts: IdentityParts | readonly [string, string, Uint8Array]): string {
	const hash = createHash('sha256');
	for (const part of parts) {
		const bytes = part instanceof Uint8Array ? part : Buffer.from(JSON.stringify(part));
		hash.update(`${bytes.length}:`).update(bytes);
	}
	return hash.digest('base64url');
}
