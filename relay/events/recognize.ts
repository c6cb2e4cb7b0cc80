import { createHash } from 'node:crypto';
import {
	eventIdentity,
	eventItem,
	progressIdentity,
	readBody,
	recognizeEvents,
	type EventItem,
	type EventSource,
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
 * Makes the events of a request. Whatever is not one of the service's events is kept as `unrecognized`.
 * @param options the deduplication window for inbound messages without an ID, and the sender IDs of the account
 * @returns at least one event. Of several, each has its own part of the body
 * @throws HttpError 415 for a text in an unknown character set
 */
export async function recognize(
	{ contentType, bytes, inboundAs }: IncomingRequest,
	options: { readonly deduplicationWindowSeconds: number; readonly senderIds: readonly string[] },
): Promise<readonly IncomingEvent[]> {
	const whole = { body: bytes, contentType: contentType === '' ? null : contentType };
	const read = storable(readBody({ contentType, bytes, parsed: await parseMultipart(contentType, bytes) }));
	if ('problem' in read && read.problem === 'unknown_charset') throw wrongCharset();
	if (!('fields' in read)) return [unrecognized(null, whole, inboundAs)];
	const records = recognizeEvents(read.fields, inboundAs, options.senderIds);
	const request = digest([JSON.stringify(read.body)]);
	return records.map(({ event, record }, index) => {
		const raw =
			records.length === 1 ? whole : { body: Buffer.from(JSON.stringify(record)), contentType: 'application/json' };
		if (event === undefined) return unrecognized(records.length === 1 ? read.body : record, raw, inboundAs);
		const source = { ...options, request: `${request}/${index}` };
		return { ...describe(eventItem(event, { senderIds: options.senderIds }), source), ...raw };
	});
}

function unrecognized(
	body: unknown,
	raw: Pick<IncomingEvent, 'body' | 'contentType'>,
	inboundAs: IncomingRequest['inboundAs'],
): IncomingEvent {
	const atInboundUrl = inboundAs !== undefined;
	const kind = atInboundUrl ? 'unrecognized message' : 'unrecognized';
	return {
		type: 'unrecognized',
		data: { event: 'unrecognized', body },
		orderKey: null,
		urgent: false,
		party: null,
		identity: { digest: digest([kind, raw.contentType ?? '', raw.body]), knownMs: UNRECOGNIZED_KNOWN_MS },
		atInboundUrl,
		...raw,
	};
}

function describe(item: EventItem, source: EventSource): Omit<IncomingEvent, 'body' | 'contentType'> {
	const { parts, knownMs, ends } = eventIdentity(item, source);
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
			return {
				...common,
				orderKey: `message:${indexable(item.message_id)}`,
				party: item.to === null ? null : indexable(item.to),
				// A digest, because the memory of receipts is not erased with a phone number.
				receipt: { message: digest(progressIdentity(item)), status: item.status },
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

function digest(parts: ReadonlyArray<IdentityParts[number] | Uint8Array>): string {
	const hash = createHash('sha256');
	for (const part of parts) {
		const bytes = part instanceof Uint8Array ? part : Buffer.from(JSON.stringify(part));
		hash.update(`${bytes.length}:`).update(bytes);
	}
	return hash.digest('base64url');
}
