import { deliveryReceipt, inboundSms, inboundWhatsapp, lowBalance, type PayloadOf } from './events';
import { isObject, scopesOf, type JsonObject } from './find';
import { messageStage } from './messageProgress';
import { keyword } from '../text/keyword';

const definitions = { inboundSms, inboundWhatsapp, deliveryReceipt, lowBalance } as const;

/** Name of an event in the contract. */
export type EventName = keyof typeof definitions;

/** A posted body that was recognised, with its payload. */
export type RecognizedEvent = {
	[Name in EventName]: { readonly name: Name; readonly payload: PayloadOf<(typeof definitions)[Name]> };
}[EventName];

/** Words in an event's name. `received` is weaker than the others: `delivery_receipt.received` is a receipt. */
const NAMES: ReadonlyArray<readonly [name: EventName | 'inbound', pattern: RegExp]> = [
	['lowBalance', /low[\W_]*(wallet[\W_]*)?balance|balance[\W_]*(is[\W_]*)?low|balance[\W_]*alert/i],
	['inbound', /inbound|incoming|\bmo\b/i],
	['deliveryReceipt', /status|deliver|receipt|\bdlr\b|report/i],
	['inbound', /received/i],
];

/** Statuses of a delivery; a body with only an `id` and any other status may be a record of anything. */
const DELIVERY =
	/^(queued|accepted|acceptd|submitted|sent|dispatched|enroute|delivered|delivrd|deliver(ed)?_?to.*|undelivered|undeliv|undeliverable|failed|rejected|rejectd|expired|read)$/;

/** Statuses of a message that has arrived, as inboxes have them. */
const ARRIVED = /^(received|inbound|incoming|new|unread)$/;

/** The text that SMPP gateways write into a receipt (SMPP 3.4, appendix B): `id:1 sub:001 ... stat:DELIVRD err:000`. */
const RECEIPT_TEXT = /^\s*id:.*\bstat:[a-z]/is;

/** The events that are texts from people. */
type TextName = 'inboundSms' | 'inboundWhatsapp';
type InboundText = Extract<RecognizedEvent, { readonly name: TextName }>;
type Receipt = Extract<RecognizedEvent, { readonly name: 'deliveryReceipt' }>;

/**
 * Finds out which event a posted body is. Only inbound texts have a published payload
 * (docs/api.md#inbound-sms-webhook), so it goes by the event's name if the body has one, and else by its fields.
 * @param textsAre what a text may be that does not tell its channel, the likeliest first
 * @returns undefined where it is none, or none that can be read
 */
export function recognizeEvent(
	body: unknown,
	textsAre: readonly TextName[] = ['inboundSms'],
): RecognizedEvent | undefined {
	if (!isObject(body)) return undefined;
	const scopes = scopesOf(body);
	const titles = findTexts(scopes, ['event', 'event_type', 'eventType', 'type', 'Event', 'Type']);
	const named = titles.map(nameIn).find((name) => name !== undefined);
	const direction = findTexts(scopes, ['direction', 'Direction'])[0] ?? '';
	const isOutgoing = /^(out|mt\b)/i.test(direction);
	const text = () => (isOutgoing ? undefined : readText(body, scopes, titles, textsAre));
	if (named === 'inbound') return text();
	if (named === 'lowBalance') return read(named, body);
	const [receipt, inbound] = [readReceipt(body), text()];
	if (named === 'deliveryReceipt') return inbound && isStop(inbound) ? inbound : receipt;
	if (receipt && inbound) {
		return /^(in(bound|coming)?|mo)\b/i.test(direction) || isInbound(inbound, receipt) ? inbound : receipt;
	}
	if (receipt && (namesMessage(scopes) || DELIVERY.test(receipt.payload.status))) return receipt;
	return inbound ?? readAlert(body, titles);
}

/** What an event's name says it is. A name with words of both kinds, such as `inbound.dlr`, says nothing. */
function nameIn(title: string): EventName | 'inbound' | undefined {
	const [first, second] = NAMES.filter(([, pattern]) => pattern.test(title)).map(([name]) => name);
	return first === 'inbound' && second === 'deliveryReceipt' ? undefined : first;
}

/**
 * Decides about a body that could be both: From, To and Message, and an id with a status.
 * 1. The text of an SMPP receipt is a receipt.
 * 2. From a phone number to a name or short code is inbound, whatever the status: your own messages leave under a sender
 *    ID or a short code (docs/api.md#send-an-sms).
 * 3. From a name or short code to a phone number is a receipt, unless the status says that the message arrived.
 * 4. Else (two numbers, or none) STOP, START and HELP are inbound, because a lost STOP is worse than a needless run. Any
 *    other text with a delivery status is a receipt: your own words, taken for a text from your own number, would make a
 *    workflow reply to itself.
 */
function isInbound({ payload }: InboundText, receipt: Receipt): boolean {
	const { from, to, message } = payload;
	const { status } = receipt.payload;
	if (RECEIPT_TEXT.test(message)) return false;
	const isFromPhone = isPhoneNumber(from);
	if (typeof to === 'string' && isFromPhone !== isPhoneNumber(to)) return isFromPhone || ARRIVED.test(status);
	return keyword(message) !== undefined || messageStage(status) === undefined;
}

/** Whether a phone number says STOP: no receipt of yours does, whatever the event is called. */
function isStop({ payload }: InboundText): boolean {
	return isPhoneNumber(payload.from) && keyword(payload.message) === 'stop';
}

/** Whether a sender or recipient is a phone number; a short code has up to 6 digits, a sender ID has letters. */
function isPhoneNumber(party: string): boolean {
	return /^(\+|00)?\d{7,15}$/.test(party.replace(/^whatsapp:/i, '').replace(/[\s().-]/g, ''));
}

function read(name: EventName, body: unknown): RecognizedEvent | undefined {
	const parsed = definitions[name].payload.safeParse(body);
	// Which payload belongs to which name stands in the table above; looking it up by name hides that from the compiler.
	return parsed.success ? ({ name, payload: parsed.data } as RecognizedEvent) : undefined;
}

function readReceipt(body: JsonObject): Receipt | undefined {
	const receipt = read('deliveryReceipt', body);
	return receipt?.name === 'deliveryReceipt' ? receipt : undefined;
}

/** Whether a body has an id that only messages have; an `id` may be anything's. */
function namesMessage(scopes: readonly JsonObject[]): boolean {
	return scopes.some((scope) => ['message_id', 'messageId', 'MessageId'].some((key) => key in scope));
}

function readText(
	body: JsonObject,
	scopes: readonly JsonObject[],
	titles: readonly string[],
	textsAre: readonly TextName[],
): InboundText | undefined {
	const tells = [...titles, ...findTexts(scopes, ['channel', 'Channel']), ...findTexts(scopes, ['from', 'From'])];
	const onWhatsapp = tells.some((told) => /whats\W?app/i.test(told)) || scopes.some((scope) => 'wa_id' in scope);
	for (const name of onWhatsapp ? (['inboundWhatsapp'] as const) : textsAre) {
		const found = read(name, body);
		if (found?.name === 'inboundSms' || found?.name === 'inboundWhatsapp') return found;
	}
	return undefined;
}

/** A balance alone may stand in many a notice; one that has another name is not an alert. */
function readAlert(body: JsonObject, titles: readonly string[]): RecognizedEvent | undefined {
	const alert = read('lowBalance', body);
	if (alert?.name !== 'lowBalance') return undefined;
	return titles.length === 0 || typeof alert.payload.threshold === 'number' ? alert : undefined;
}

function findTexts(scopes: readonly JsonObject[], keys: readonly string[]): string[] {
	return scopes.flatMap((scope) =>
		keys
			.map((key) => (Object.hasOwn(scope, key) ? scope[key] : undefined))
			.filter((value): value is string => typeof value === 'string' && value.trim() !== ''),
	);
}
