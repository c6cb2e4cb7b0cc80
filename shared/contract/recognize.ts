import {
	bareParty,
	channelOf,
	directionOf,
	hasValue,
	namesOutgoing,
	textsOf,
	NAME_KEYS,
	words,
	type InboundName,
} from './channel';
import { deliveryReceipt, inboundSms, inboundWhatsapp, lowBalance, MESSAGE_IDS, type PayloadOf } from './events';
import { envelopesOf, isEnvelopeStatus, isObject, type JsonObject } from './find';
import { plainKey, plainKeys } from './plainKeys';
import { isSameParty } from '../events/phoneAddress';
import { keyword } from '../text/keyword';

const definitions = { inboundSms, inboundWhatsapp, deliveryReceipt, lowBalance } as const;

/**
 * Name of an event in the contract.
 * @example const name: EventName = 'deliveryReceipt';
 */
export type EventName = keyof typeof definitions;

/** A recognized event, with its payload. */
export type RecognizedEvent = {
	[Name in EventName]: { readonly name: Name; readonly payload: PayloadOf<(typeof definitions)[Name]> };
}[EventName];

/** Words in an event's name. `received` counts last, because `delivery_receipt.received` is a receipt. */
const NAMES: ReadonlyArray<readonly [name: EventName | 'inbound', pattern: RegExp]> = [
	['lowBalance', /low[\W_]*(wallet[\W_]*)?balance|balance[\W_]*(is[\W_]*)?low|balance[\W_]*alert/],
	['inbound', /inbound|incoming|(?<![a-z])mo(?![a-z])/],
	['deliveryReceipt', /status|deliver|receipt|(?<![a-z])dlr(?![a-z])|report/],
	['inbound', /received/],
];

/** SMPP calls an inbound message deliver_sm, although nothing was delivered (SMPP 3.4, section 4.6). */
const DELIVER_SM = /deliver[\W_]?sm(?![a-z])|sms[\W_]?deliver(?![a-z])/;

/** Statuses of a delivery. A body with only an `id` and another status may be any kind of record. */
const DELIVERY =
	/^(queued|accepted|acceptd|submitted|sent|dispatched|enroute|delivered|delivrd|deliver(ed)?_?to.*|undelivered|undeliv|undeliverable|failed|rejected|rejectd|expired|read)$/;

/** Statuses of an inbound message in an inbox. */
const ARRIVED = /^((sms|message)[\W_]*)?(received|inbound|incoming|new|unread)$/;

/** The text that SMPP gateways write into a receipt (SMPP 3.4, appendix B): `id:1 sub:001 ... stat:DELIVRD err:000`. */
const RECEIPT_TEXT = /^\s*id:.*\bstat:[a-z]/is;

type InboundMessage = Extract<RecognizedEvent, { readonly name: InboundName }>;
type Receipt = Extract<RecognizedEvent, { readonly name: 'deliveryReceipt' }>;

/**
 * Recognizes the event of one record, by the event's name and channel if it has them, or else by its fields. Only inbound
 * SMS have a documented payload (docs/api.md#inbound-sms-webhook).
 * @param assumed the event of an inbound message with no sign of its channel
 * @param around what the envelope of a list says about all its records, with {@link plainKeys}
 * @param senderIds sender IDs of the account, which may follow a STOP
 * @returns undefined if it is not a known event, or cannot be read
 */
export function recognizeEvent(
	body: unknown,
	assumed: InboundName = 'inboundSms',
	around: JsonObject = {},
	senderIds: readonly string[] = [],
): RecognizedEvent | undefined {
	if (!isObject(body)) return undefined;
	const fields = plainKeys(body);
	if (Object.keys(fields).length === 0) return undefined;
	const scopes = [...envelopesOf(fields).reverse(), around];
	const titles = textsOf(scopes, NAME_KEYS);
	const direction = directionOf(scopes);
	const isOutgoing = direction === undefined ? namesOutgoing(titles) : direction === 'out';
	const channel = channelOf(scopes);
	const receipt = readReceipt(fields, around);
	const status = receipt?.payload.status ?? statusIn(scopes);
	const anyMessage = readMessage(fields, channel === undefined || channel === 'other' ? assumed : channel, around);
	// A message of yours may have your number in both fields.
	const message = anyMessage && status !== undefined && isToItself(anyMessage) ? undefined : anyMessage;
	const isToName = message !== undefined && goesToName(message);
	// No message that left says only STOP to a sender ID, whatever the event's name.
	if (message && saysStop(message, senderIds) && (isToName || (!isOutgoing && channel !== 'other'))) return message;
	const inbound = channel === 'other' ? undefined : message;
	const hasArrived = isToName && direction !== 'out' && (status === undefined || ARRIVED.test(status));
	if (inbound && hasArrived && !RECEIPT_TEXT.test(inbound.payload.message)) return inbound;
	const named = titles.map(nameIn).find((name) => name !== undefined);
	if (named === 'lowBalance') return read(named, fields, around);
	const knownReceipt = receipt && (namesMessage(scopes) || DELIVERY.test(receipt.payload.status)) ? receipt : undefined;
	if (isOutgoing) return named === 'deliveryReceipt' ? receipt : knownReceipt;
	if (named === 'inbound') return inbound;
	if (named === 'deliveryReceipt') return receipt;
	if (!inbound) return knownReceipt ?? readAlert(fields, titles);
	return direction === 'in' || isInbound(inbound, status, senderIds) ? inbound : receipt;
}

/** The event that a name indicates. A name with words of both kinds, such as `inbound.dlr`, indicates none. */
function nameIn(title: string): EventName | 'inbound' | undefined {
	const text = words(title).replace(DELIVER_SM, 'inbound');
	const [first, second] = NAMES.filter(([, pattern]) => pattern.test(text)).map(([name]) => name);
	return first === 'inbound' && second === 'deliveryReceipt' ? undefined : first;
}

/**
 * Decides about a message with a status, which could be a receipt.
 * 1. The text of an SMPP receipt is a receipt.
 * 2. From a phone number to a name or short code is inbound, whatever the status, because your own messages leave under a
 *    sender ID or a short code (docs/api.md#send-an-sms).
 * 3. From a name or short code to a phone number is a receipt, unless the status says that the message arrived.
 * 4. Otherwise (two numbers, or none) STOP, START and HELP are inbound, because a lost STOP is worse than a needless run.
 *    Any other text is a receipt, unless the status says that it arrived. If your own message were treated as inbound, a
 *    workflow would reply to itself.
 */
function isInbound(inbound: InboundMessage, status: string | undefined, senderIds: readonly string[]): boolean {
	const { from, to, message } = inbound.payload;
	if (RECEIPT_TEXT.test(message)) return false;
	if (status === undefined || ARRIVED.test(status) || goesToName(inbound)) return true;
	const isFromName = typeof to === 'string' && !isPhoneNumber(from) && isPhoneNumber(to);
	return !isFromName && keywordOf(inbound, senderIds) !== undefined;
}

/** Whether a phone number sent STOP. */
function saysStop(inbound: InboundMessage, senderIds: readonly string[]): boolean {
	return isPhoneNumber(inbound.payload.from) && keywordOf(inbound, senderIds) === 'stop';
}

/** Whether a message goes from a phone number to a sender ID or short code. */
function goesToName({ payload: { from, to } }: InboundMessage): boolean {
	return isPhoneNumber(from) && typeof to === 'string' && !isPhoneNumber(to);
}

function keywordOf({ payload: { to, message } }: InboundMessage, senderIds: readonly string[]) {
	return keyword(message, { senders: typeof to === 'string' ? [to, ...senderIds] : senderIds });
}

/** Whether a sender or recipient is a phone number. A short code has at most 6 digits, and a sender ID has letters. */
function isPhoneNumber(party: string): boolean {
	return /^(\+|00)?\d{7,15}$/.test(bareParty(party).replace(/[\s().-]/g, ''));
}

function read(name: EventName, body: JsonObject, around: JsonObject): RecognizedEvent | undefined {
	const payload = definitions[name].read(body, around);
	// The table above pairs names and payloads; the lookup by name hides that from the compiler.
	return payload && ({ name, payload } as RecognizedEvent);
}

function readReceipt(body: JsonObject, around: JsonObject): Receipt | undefined {
	// An ID that several receipts share identifies none of them without its own recipient.
	const receipt = read('deliveryReceipt', body, { ...around, to: null, recipient: null });
	if (receipt?.name === 'deliveryReceipt' && typeof receipt.payload.to !== 'string') {
		return read('deliveryReceipt', body, {}) && receipt;
	}
	return receipt?.name === 'deliveryReceipt' ? receipt : undefined;
}

const messageIds = MESSAGE_IDS.map(plainKey);

/** Whether a body has an ID that only messages have. An `id` may belong to any record. */
export function namesMessage(scopes: readonly JsonObject[]): boolean {
	return scopes.some((scope) => messageIds.some((key) => hasValue(scope, key)));
}

const STATUS_KEYS = ['status', 'messagestatus', 'smsstatus', 'deliverystatus', 'dlrstatus'];

/** The status of a message without a known ID. A `success` may belong to its envelope. */
function statusIn(scopes: readonly JsonObject[]): string | undefined {
	const values = scopes.flatMap((scope) => STATUS_KEYS.filter((key) => hasValue(scope, key)).map((key) => scope[key]));
	const status = values.map(String).find((value) => !isEnvelopeStatus(value));
	return status?.trim().toLowerCase();
}

/** Whether the sender is also the recipient. */
function isToItself({ payload: { from, to } }: InboundMessage): boolean {
	return typeof to === 'string' && isSameParty(bareParty(from), bareParty(to));
}

function readMessage(body: JsonObject, name: InboundName, around: JsonObject): InboundMessage | undefined {
	const found = read(name, body, { ...around, messageid: null });
	return found?.name === 'inboundSms' || found?.name === 'inboundWhatsapp' ? found : undefined;
}

/** Many kinds of notice contain a balance, so one with another name and no threshold is not an alert. */
function readAlert(body: JsonObject, titles: readonly string[]): RecognizedEvent | undefined {
	const alert = read('lowBalance', body, {});
	if (alert?.name !== 'lowBalance') return undefined;
	return titles.length === 0 || typeof alert.payload.threshold === 'number' ? alert : undefined;
}
