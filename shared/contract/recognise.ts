import { deliveryReceipt, inboundSms, inboundWhatsapp, lowBalance, type PayloadOf } from './events';
import { isObject, scopesOf, type JsonObject } from './find';

const definitions = { inboundSms, inboundWhatsapp, deliveryReceipt, lowBalance } as const;

/** Name of an event in the contract. */
export type EventName = keyof typeof definitions;

/** A posted body that was recognised, with its payload. */
export type RecognisedEvent = {
	[Name in EventName]: { readonly name: Name; readonly payload: PayloadOf<(typeof definitions)[Name]> };
}[EventName];

/** What a sender calls its event, in words of the kind that services use. */
const NAMES: ReadonlyArray<readonly [name: EventName | 'inbound', pattern: RegExp]> = [
	['lowBalance', /low[\W_]*(wallet[\W_]*)?balance|balance[\W_]*(is[\W_]*)?low|balance[\W_]*alert/i],
	['inbound', /inbound|incoming|received|\bmo\b/i],
	['deliveryReceipt', /status|deliver|receipt|\bdlr\b|report/i],
];

/** Statuses of a delivery; a body that is not called a receipt and has another status is none. */
const DELIVERY =
	/^(queued|accepted|submitted|sent|dispatched|delivered|deliver(ed)?_?to.*|undelivered|undeliverable|failed|rejected|expired|read)$/;

/** The events that are texts from people. */
type TextName = 'inboundSms' | 'inboundWhatsapp';

/**
 * Finds out which event a posted body is. Only inbound texts have a published payload (service.md, Inbound SMS webhook
 * fields), so it goes by the event's name where the body has one, and else by what stands in it.
 * @param textsAre what a text may be that does not tell its channel, the likeliest first
 * @returns undefined where it is none, or none that can be read
 */
export function recogniseEvent(
	body: unknown,
	textsAre: readonly TextName[] = ['inboundSms'],
): RecognisedEvent | undefined {
	if (!isObject(body)) return undefined;
	const scopes = scopesOf(body);
	const title = findText(scopes, ['event', 'event_type', 'eventType', 'type', 'Event', 'Type']);
	const named = title === undefined ? undefined : NAMES.find(([, pattern]) => pattern.test(title))?.[0];
	const text = () => readText(body, scopes, title, textsAre);
	if (named === 'inbound') return text();
	if (named !== undefined) return read(named, body);
	return readReceipt(body, scopes) ?? text() ?? readAlert(body, title);
}

function read(name: EventName, body: unknown): RecognisedEvent | undefined {
	const parsed = definitions[name].payload.safeParse(body);
	// Which payload belongs to which name stands in the table above; looking it up by name hides that from the compiler.
	return parsed.success ? ({ name, payload: parsed.data } as RecognisedEvent) : undefined;
}

function readReceipt(body: JsonObject, scopes: readonly JsonObject[]): RecognisedEvent | undefined {
	const receipt = read('deliveryReceipt', body);
	if (receipt?.name !== 'deliveryReceipt') return undefined;
	const { status } = receipt.payload;
	const namesMessage = scopes.some((scope) => ['message_id', 'messageId', 'MessageId'].some((key) => key in scope));
	const isText = read('inboundSms', body) !== undefined;
	// Texts may carry an id and a status of their own, such as "received" or "new".
	return DELIVERY.test(status) || (namesMessage && !isText) ? receipt : undefined;
}

function readText(
	body: JsonObject,
	scopes: readonly JsonObject[],
	title: string | undefined,
	textsAre: readonly TextName[],
): RecognisedEvent | undefined {
	const tells = [title, findText(scopes, ['channel', 'Channel']), findText(scopes, ['from', 'From'])];
	const onWhatsapp = tells.some((told) => told !== undefined && /whats\W?app/i.test(told));
	if (onWhatsapp || scopes.some((scope) => 'wa_id' in scope)) return read('inboundWhatsapp', body);
	for (const name of textsAre) {
		const found = read(name, body);
		if (found) return found;
	}
	return undefined;
}

/** A balance alone may stand in many a notice; one that has another name is not an alert. */
function readAlert(body: JsonObject, title: string | undefined): RecognisedEvent | undefined {
	const alert = read('lowBalance', body);
	if (alert?.name !== 'lowBalance') return undefined;
	return title === undefined || typeof alert.payload.threshold === 'number' ? alert : undefined;
}

function findText(scopes: readonly JsonObject[], keys: readonly string[]): string | undefined {
	for (const scope of scopes) {
		for (const key of keys) {
			const value = Object.hasOwn(scope, key) ? scope[key] : undefined;
			if (typeof value === 'string' && value.trim() !== '') return value;
		}
	}
	return undefined;
}
