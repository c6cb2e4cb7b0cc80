import { isObject, type JsonObject } from './find';

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

const PARTY_KEYS = ['from', 'to', 'sender', 'recipient', 'chatid', 'remotejid'];

/** Keys that only WhatsApp messages have. */
const WHATSAPP_KEYS = ['waid', 'wamid', 'whatsappid'];

const SMS = /(?<![a-z])[sm]ms|sms(?![a-z])|text[\W_]?message/;
const WHATSAPP = /whats[\W_]?app|^wa$/;
const OTHER =
	/mail|voice|call|telegram|messenger|facebook|instagram|viber|(?<![a-z])(rcs|line|push|chat|web)(?![a-z])|wechat|apple|imessage/;

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
	const hasKey = WHATSAPP_KEYS.some((key) => typeof scope[key] === 'string' || typeof scope[key] === 'number');
	const hasContact = Array.isArray(contacts) && contacts.some((one) => isObject(one) && 'waid' in one);
	return hasKey || hasContact || [id, messageid].some((one) => typeof one === 'string' && /^wamid\./i.test(one));
}

/** Twilio's IDs of SMS and MMS begin with SM and MM. Other gateways have `sms_id` or `smsCount`. */
function isSms(scope: JsonObject): boolean {
	const { messagesid } = scope;
	const hasSid = typeof messagesid === 'string' && /^[SM]M/.test(messagesid);
	return hasSid || Object.keys(scope).some((key) => /^(sms|nummedia$|numsegments$)/.test(key));
}

const OUTGOING = /outbound|outgoing|(?<![a-z])(mt|sent)(?![a-z])/;
const INCOMING = /inbound|incoming|received/;

/** Flags of messages that left, and of those that arrived. */
const OUTGOING_FLAGS = ['fromme', 'outgoing', 'isoutgoing', 'outbound', 'isoutbound', 'sentbyme'];
const INCOMING_FLAGS = ['incoming', 'isincoming', 'inbound', 'isinbound'];

/**
 * Whether a record is about a message that left. A direction decides before a name.
 * @param titles names of the event
 */
export function isOutgoing(scopes: readonly JsonObject[], titles: readonly string[]): boolean {
	const [direction] = textsOf(scopes, ['direction', 'messagedirection']).map(words);
	if (direction !== undefined && /^(out|mt(?![a-z])|sent|mobile.?terminated)/.test(direction)) return true;
	if (direction !== undefined && /^(in|mo(?![a-z])|received|mobile.?originated)/.test(direction)) return false;
	const isFlag = (key: string, wanted: boolean) => scopes.some((scope) => String(scope[key]) === String(wanted));
	if (OUTGOING_FLAGS.some((key) => isFlag(key, true)) || INCOMING_FLAGS.some((key) => isFlag(key, false))) return true;
	return titles.map(words).some((title) => OUTGOING.test(title) && !INCOMING.test(title));
}

/** A name in lower case, with a separator between its words: `messageSent` becomes `message_sent`. */
export function words(name: string): string {
	return name.replace(/([a-z])([A-Z])/g, '$1_$2').toLowerCase();
}

const WHATSAPP_ADDRESS = /^whatsapp:|@(s\.whatsapp\.net|c\.us)$/i;

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
