import { isObject, type JsonObject } from './find';
import { meaningOf } from './words';

/** The events that are inbound messages. */
export type InboundName = 'inboundSms' | 'inboundWhatsapp';

/** Keys with the name of an event or of a kind of record. All keys here are those of `plainKeys`. */
export const NAME_KEYS: readonly string[] = [
	...['event', 'eventtype', 'eventname', 'type', 'kind', 'action', 'topic'],
	...['notificationtype', 'messagetype', 'webhooktype'],
];

/** Keys that contain a channel, or nothing else. */
const CHANNEL_KEYS = ['channel', 'channeltype', 'messagechannel', 'messagingproduct', 'medium', 'platform'];

/** Keys that may contain a channel among other things. */
const PRODUCT_KEYS = ['integrationtype', 'product', 'service', 'provider', 'object'];

const DIRECTION_KEYS = ['direction', 'messagedirection'];

/** All keys with a name, a channel or a direction. */
export const SIGN_KEYS: readonly string[] = [...NAME_KEYS, ...CHANNEL_KEYS, ...PRODUCT_KEYS, ...DIRECTION_KEYS];

const PARTY_KEYS = ['from', 'to', 'sender', 'recipient', 'chatid', 'remotejid'];

/** Keys that only WhatsApp messages have. */
const WHATSAPP_KEYS = ['waid', 'wamid', 'whatsappid'];

const SMS = /(?<![a-z])[sm]ms|sms(?![a-z])|text[\W_]?message/;
const WHATSAPP = /whats[\W_]?app|^wa$/;
const OTHER =
	/mail|voice|(?<![a-z])(calls?|rcs)(?![a-z])|telegram|messenger|facebook|instagram|viber|wechat|apple|imessage/;

/**
 * Finds the channel of a message, by its names first.
 * @param scopes the record and its envelopes with `plainKeys`, the innermost first
 * @returns `other` for a channel that is neither; undefined without a sign
 */
export function channelOf(scopes: readonly JsonObject[]): InboundName | 'other' | undefined {
	const parties = textsOf(scopes, PARTY_KEYS);
	if (parties.some((party) => WHATSAPP_ADDRESS.test(party))) return 'inboundWhatsapp';
	const channel = signIn(textsOf(scopes, CHANNEL_KEYS));
	if (channel) return channel;
	if (textsOf(scopes, CHANNEL_KEYS).some((text) => OTHER.test(words(text)))) return 'other';
	const named = signIn(textsOf(scopes, NAME_KEYS));
	if (named) return named;
	if (scopes.some(isOnWhatsapp)) return 'inboundWhatsapp';
	if (parties.some((party) => /^sms:/i.test(party)) || scopes.some(isSms)) return 'inboundSms';
	return signIn([...textsOf(scopes, PRODUCT_KEYS), ...partyTypes(scopes)]);
}

/** A party may be an object with a `type`. Its name is no sign: an SMS may come from the sender WhatsApp. */
function partyTypes(scopes: readonly JsonObject[]): string[] {
	const parties = scopes.flatMap((scope) => PARTY_KEYS.map((key) => scope[key]));
	return parties.flatMap((party) => (isObject(party) && typeof party.type === 'string' ? [party.type] : []));
}

/** The first text that names one of the two channels, and not the other one too. */
function signIn(texts: readonly string[]): InboundName | undefined {
	for (const text of texts.map(words)) {
		const onWhatsapp = WHATSAPP.test(text);
		if (onWhatsapp !== SMS.test(text)) return onWhatsapp ? 'inboundWhatsapp' : 'inboundSms';
	}
	return undefined;
}

function isOnWhatsapp(scope: JsonObject): boolean {
	const { contacts, id, messageid } = scope;
	const hasKey = WHATSAPP_KEYS.some((key) => hasValue(scope, key));
	const hasContact = Array.isArray(contacts) && contacts.some((one) => isObject(one) && hasValue(one, 'waid'));
	return hasKey || hasContact || [id, messageid].some((one) => typeof one === 'string' && /^wamid\./i.test(one));
}

/** Twilio's IDs of SMS and MMS begin with SM and MM. Other gateways have `sms_id` or `smsCount`. */
function isSms(scope: JsonObject): boolean {
	const { messagesid } = scope;
	const hasSid = typeof messagesid === 'string' && /^[SM]M/.test(messagesid);
	const keys = Object.keys(scope).filter((key) => /^(sms|nummedia$|numsegments$)/.test(key));
	return hasSid || keys.some((key) => hasValue(scope, key) || isObject(scope[key]));
}

/** Whether a record has a text or a number under a key. An empty key is no sign of anything. */
export function hasValue(scope: JsonObject, key: string): boolean {
	const value = Object.hasOwn(scope, key) ? scope[key] : undefined;
	return typeof value === 'number' || (typeof value === 'string' && value.trim() !== '');
}

const OUTGOING = /outbound|outgoing|(?<![a-z])(mt|sent)(?![a-z])/;
const INCOMING = /inbound|incoming|received/;

/** A direction is a word by itself, so shorter words count than in a name. */
const DIRECTION_OUT = /outbound|outgoing|terminated|(?<![a-z])(out|mt|sent|send|to[\W_]?contact)(?![a-z])/;
const DIRECTION_IN = /inbound|incoming|originated|(?<![a-z])(in|mo|received?|from[\W_]?contact)(?![a-z])/;

/** Flags of messages that left, and of those that arrived. */
const OUTGOING_FLAGS = ['fromme', 'outgoing', 'isoutgoing', 'outbound', 'isoutbound', 'sentbyme'];
const INCOMING_FLAGS = ['incoming', 'isincoming', 'inbound', 'isinbound'];

/**
 * The direction of a message, by a key for it, or else by a flag.
 * @param scopes the record and its envelopes with `plainKeys`, the innermost first
 * @returns undefined without a sign
 */
export function directionOf(scopes: readonly JsonObject[]): 'in' | 'out' | undefined {
	for (const text of textsOf(scopes, DIRECTION_KEYS).map(words)) {
		const isOut = DIRECTION_OUT.test(text);
		if (isOut !== DIRECTION_IN.test(text)) return isOut ? 'out' : 'in';
	}
	const some = (keys: readonly string[], meaning: 'yes' | 'no') =>
		scopes.some((scope) => keys.some((key) => meaningOf(scope[key]) === meaning));
	if (some(OUTGOING_FLAGS, 'yes') || some(INCOMING_FLAGS, 'no')) return 'out';
	return some(INCOMING_FLAGS, 'yes') || some(OUTGOING_FLAGS, 'no') ? 'in' : undefined;
}

/** Whether the name of an event says that a message left. */
export function namesOutgoing(titles: readonly string[]): boolean {
	return titles.map(words).some((title) => OUTGOING.test(title) && !INCOMING.test(title));
}

/** A name in lower case, with a separator between its words: `messageSent` becomes `message_sent`. */
export function words(name: string): string {
	return name.replace(/([a-z])([A-Z])/g, '$1_$2').toLowerCase();
}

/** The address of a party on WhatsApp: `whatsapp:+233201234567`, or `233201234567@c.us`. */
export const WHATSAPP_ADDRESS = /^whatsapp:|@(s\.whatsapp\.net|c\.us)$/i;

/** A party without the channel in its address: `whatsapp:+233201234567` becomes `+233201234567`. */
export function bareParty(party: string): string {
	return party.trim().replace(/^(whatsapp|sms|tel):|@(s\.whatsapp\.net|c\.us)$/gi, '');
}

/** The texts under some keys, those of the innermost record first. Of an object, its `type` or `name` counts. */
export function textsOf(scopes: readonly JsonObject[], keys: readonly string[]): string[] {
	return scopes.flatMap((scope) =>
		keys
			.map((key) => (Object.hasOwn(scope, key) ? scope[key] : undefined))
			.map((value) => (isObject(value) ? (value.type ?? value.name) : value))
			.filter((value): value is string => typeof value === 'string' && value.trim() !== ''),
	);
}
