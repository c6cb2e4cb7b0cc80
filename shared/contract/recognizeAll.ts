import { isSameParty } from '../events/phoneAddress';
import { SIGN_KEYS, type InboundName } from './channel';
import { envelopesOf, isEnvelopeStatus, isObject, type JsonObject } from './find';
import { plainKey, plainKeys } from './plainKeys';
import { namesMessage, recognizeEvent, type RecognizedEvent } from './recognize';

/** One record of a body. */
export interface RecognizedRecord {
	/** The record as it arrived: the whole body, unless the body has several. */
	readonly record: unknown;
	/** Undefined if it is not a known event, or cannot be read. */
	readonly event: RecognizedEvent | undefined;
}

/** Maximum depth of lists and objects around events. WhatsApp Cloud has five. */
const DEEPEST = 8;

/** Lists that are part of one event. */
const PARTS =
	/^(to|from|cc|bcc|recipients?|receivers|numbers|contacts|media|attachments|files|errors?|warnings|notices|links|parts|segments|tags|headers|history|log|timeline|attempts|channels|parameters|buttons|sections|components|variables)$/;

/** What an envelope says about all its records. Its own ID and status say nothing about them. */
const SHARED = new Set([
	...SIGN_KEYS,
	...['messageid', 'batchid', 'bulkid', 'to', 'recipient', 'contacts', 'metadata'],
]);

/**
 * Recognizes all events in a body: the records of its lists, at any depth, or else the body itself. WhatsApp Cloud has
 * them in `entry[].changes[].value`. If the body without its lists is an event, or no record of a list is one, the body
 * counts as one record.
 * @param assumed the event of an inbound message with no sign of its channel
 * @param senderIds sender IDs of the account, which may follow a STOP
 * @returns at least one record, in their order
 * @example recognizeEvents({ results: [{ id: 'm-1', status: 'sent' }, { id: 'm-2', status: 'sent' }] }).length // 2
 */
export function recognizeEvents(
	body: unknown,
	assumed: InboundName = 'inboundSms',
	senderIds: readonly string[] = [],
): readonly RecognizedRecord[] {
	const recognize: Recognize = (one, around) => recognizeEvent(one, assumed, around, senderIds);
	const records = recordsOf(body, recognize, {}, 0);
	return records.length === 1 ? records.map(({ event }) => ({ record: body, event })) : records;
}

type Recognize = (body: JsonObject, around: JsonObject) => RecognizedEvent | undefined;

function recordsOf(
	value: unknown,
	recognize: Recognize,
	around: JsonObject,
	depth: number,
): readonly RecognizedRecord[] {
	const body = Array.isArray(value) ? { events: value } : value;
	if (!isObject(body)) return [{ record: value, event: undefined }];
	const inner = depth < DEEPEST ? recordsIn(body, recognize, around, depth) : [];
	if (!inner.some(({ event }) => event)) return [{ record: value, event: recognize(body, around) }];
	const own = ownEvent(body, recognize, around);
	if (!own) return inner;
	const others = inner.filter(({ event }) => isInbound(event) && isInbound(own) && isBetweenOthers(event, own));
	return [{ record: value, event: own }, ...others];
}

type InboundEvent = Extract<RecognizedEvent, { readonly name: InboundName }>;

function isInbound(event: RecognizedEvent | undefined): event is InboundEvent {
	return event?.name === 'inboundSms' || event?.name === 'inboundWhatsapp';
}

/** Whether a message does not come from a person of another one, nor go to its sender. Then that one does not quote it. */
function isBetweenOthers({ payload }: InboundEvent, other: InboundEvent): boolean {
	const { from, to } = other.payload;
	const isFrom = (party: string | null | undefined) => typeof party === 'string' && isSameParty(payload.from, party);
	return !isFrom(from) && !isFrom(to) && !(typeof payload.to === 'string' && isSameParty(payload.to, from));
}

/**
 * The event of a body apart from the lists in it: an inbound message, or a receipt with its own message ID and status.
 * Such lists quote other messages, or contain the history of this one. Messages of other people are no quotes.
 */
function ownEvent(body: JsonObject, recognize: Recognize, around: JsonObject): RecognizedEvent | undefined {
	const own = withoutLists(body);
	const event = recognize(own, around);
	if (isInbound(event)) return event;
	const isReceipt = event?.name === 'deliveryReceipt' && !isEnvelopeStatus(event.payload.status);
	return isReceipt && namesMessage(envelopesOf(plainKeys(own))) ? event : undefined;
}

function withoutLists(body: JsonObject): JsonObject {
	const entries = Object.entries(body).filter(([key, value]) => PARTS.test(plainKey(key)) || !listIn(value));
	return Object.fromEntries(entries.map(([key, value]) => [key, isObject(value) ? withoutLists(value) : value]));
}

function recordsIn(
	body: JsonObject,
	recognize: Recognize,
	around: JsonObject,
	depth: number,
): readonly RecognizedRecord[] {
	const shared = { ...around, ...sharedBy(body) };
	return Object.entries(body).flatMap(([key, value]) => {
		if (PARTS.test(plainKey(key))) return [];
		const list = listIn(value);
		if (list) return list.flatMap((one) => recordsOf(one, recognize, shared, depth + 1));
		return isObject(value) && depth < DEEPEST ? recordsIn(value, recognize, shared, depth + 1) : [];
	});
}

/** A list with records. A form writes it as an object with numbers for keys: `messages[0][from]`. */
function listIn(value: unknown): readonly unknown[] | undefined {
	if (Array.isArray(value)) return value.some((one) => isObject(one) || Array.isArray(one)) ? value : undefined;
	if (!isObject(value)) return undefined;
	const keys = Object.keys(value);
	return keys.length > 0 && keys.every((key) => /^\d+$/.test(key)) ? listIn(Object.values(value)) : undefined;
}

function sharedBy(body: JsonObject): JsonObject {
	return plainKeys(Object.fromEntries(Object.entries(body).filter(([key]) => SHARED.has(plainKey(key)))));
}
