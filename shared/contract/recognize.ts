import { bareParty, channelOf, isOutgoing, textsOf, NAME_KEYS, words, type InboundName } from './channel';
import { deliveryReceipt, inboundSms, inboundWhatsapp, lowBalance, MESSAGE_IDS, type PayloadOf } from './events';
import { envelopesOf, isObject, type JsonObject } from './find';
import { messageStage } from './messageProgress';
import { plainKey, plainKeys } from './plainKeys';
import { keyword, type Keyword } from '../text/keyword';

const definitions = { inboundSms, inboundWhatsapp, deliveryReceipt, lowBalance } as const;

/**
 * Name of an event in the contract.
 * @example const name: EventName = 'deliveryReceipt';
 */
export type EventName = keyof typeof definitions;

/**
 * A recognized event, with its payload.
 * @example if (event.name === 'deliveryReceipt') console.log(event.payload.status);
 */
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

/** Statuses of a delivery. A body with only an `id` and another status may be any kind of record. */
const DELIVERY =
	/^(queued|accepted|acceptd|submitted|sent|dispatched|enroute|delivered|delivrd|deliver(ed)?_?to.*|undelivered|undeliv|undeliverable|failed|rejected|rejectd|expired|read)$/;

/** Statuses of an inbound message in an inbox. */
const ARRIVED = /^(received|inbound|incoming|new|unread)$/;

/** The text that SMPP gateways write into a receipt (SMPP 3.4, appendix B): `id:1 sub:001 ... stat:DELIVRD err:000`. */
const RECEIPT_TEXT = /^\s*id:.*\bstat:[a-z]/is;

type InboundMessage = Extract<RecognizedEvent, { readonly name: InboundName }>;
type Receipt = Extract<RecognizedEvent, { readonly name: 'deliveryReceipt' }>;

/**
 * Recognizes the event of one record, by the event's name and channel if it has them, or else by its fields. Only inbound
 * SMS have a documented payload (docs/api.md#inbound-sms-webhook).
 * @param assumed the event of an inbound message with no sign of its channel
 * @param around what the envelope of a list says about all its records, with {@link plainKeys}
 * @returns undefined if it is not a known event, or cannot be read
 * @example recognizeEvent({ From: '+233201234567', To: 'KOFISHOP', Message: 'HOURS' })?.name // 'inboundSms'
 */
export function recognizeEvent(
	body: unknown,
	assumed: InboundName = 'inboundSms',
	around: JsonObject = {},
): RecognizedEvent | undefined {
	if (!isObject(body)) return undefined;
	const fields = plainKeys(body);
	if (Object.keys(fields).length === 0) return undefined;
	const scopes = [...envelopesOf(fields).reverse(), around];
	const titles = textsOf(scopes, NAME_KEYS);
	const named = titles.map(nameIn).find((name) => name !== undefined);
	if (named === 'lowBalance') return read(named, fields, around);
	const receipt = readReceipt(fields, around);
	const knownReceipt = receipt && (namesMessage(scopes) || DELIVERY.test(receipt.payload.status)) ? receipt : undefined;
	if (isOutgoing(scopes, titles)) return named === 'deliveryReceipt' ? receipt : knownReceipt;
	const inbound = readMessage(fields, scopes, assumed, around);
	if (named === 'inbound') return inbound;
	if (named === 'deliveryReceipt') return inbound && isStop(inbound) ? inbound : receipt;
	if (receipt && inbound) return saysInbound(scopes) || isInbound(inbound, receipt) ? inbound : receipt;
	return knownReceipt ?? inbound ?? readAlert(fields, titles);
}

/** The event that a name indicates. A name with words of both kinds, such as `inbound.dlr`, indicates none. */
function nameIn(title: string): EventName | 'inbound' | undefined {
	const [first, second] = NAMES.filter(([, pattern]) => pattern.test(words(title))).map(([name]) => name);
	return first === 'inbound' && second === 'deliveryReceipt' ? undefined : first;
}

/**
 * Decides about a body that could be both: From, To and Message, and an ID with a status.
 * 1. The text of an SMPP receipt is a receipt.
 * 2. From a phone number to a name or short code is inbound, whatever the status, because your own messages leave under a
 *    sender ID or a short code (docs/api.md#send-an-sms).
 * 3. From a name or short code to a phone number is a receipt, unless the status says that the message arrived.
 * 4. Otherwise (two numbers, or none) STOP, START and HELP are inbound, because a lost STOP is worse than a needless run.
 *    Any other text with a delivery status is a receipt. If your own message were treated as inbound, a workflow would
 *    reply to itself.
 */
function isInbound({ payload }: InboundMessage, receipt: Receipt): boolean {
	const { from, to, message } = payload;
	const { status } = receipt.payload;
	if (RECEIPT_TEXT.test(message)) return false;
	const isFromPhone = isPhoneNumber(from);
	if (typeof to === 'string' && isFromPhone !== isPhoneNumber(to)) return isFromPhone || ARRIVED.test(status);
	return keywordOf(payload) !== undefined || messageStage(status) === undefined;
}

/** Whether a phone number sent STOP. No receipt of yours contains that, whatever the event's name. */
function isStop({ payload }: InboundMessage): boolean {
	return isPhoneNumber(payload.from) && keywordOf(payload) === 'stop';
}

function keywordOf({ to, message }: InboundMessage['payload']): Keyword | undefined {
	const found = keyword(message, { senders: typeof to === 'string' ? [to] : [] });
	return found;
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
function namesMessage(scopes: readonly JsonObject[]): boolean {
	return scopes.some((scope) => messageIds.some((key) => Object.hasOwn(scope, key)));
}

function saysInbound(scopes: readonly JsonObject[]): boolean {
	return /^(in(bound|coming)?|mo)\b/i.test(textsOf(scopes, ['direction'])[0] ?? '');
}

function readMessage(
	body: JsonObject,
	scopes: readonly JsonObject[],
	assumed: InboundName,
	around: JsonObject,
): InboundMessage | undefined {
	const channel = channelOf(scopes) ?? assumed;
	const found = channel === 'other' ? undefined : read(channel, body, { ...around, messageid: null });
	return found?.name === 'inboundSms' || found?.name === 'inboundWhatsapp' ? found : undefined;
}

/** Many kinds of notice contain a balance, so one with another name and no threshold is not an alert. */
function readAlert(body: JsonObject, titles: readonly string[]): RecognizedEvent | undefined {
	const alert = read('lowBalance', body, {});
	if (alert?.name !== 'lowBalance') return undefined;
	return titles.length === 0 || typeof alert.payload.threshold === 'number' ? alert : undefined;
}
