import type { ICredentialDataDecryptedObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import {
	eventItem,
	events,
	recognizeEvents,
	toInternational,
	type EventName,
	type JsonFields,
	type ReadBody,
} from '../../../../shared/index';
import { fingerprint } from '../../memory/fingerprint';
import type { Arrival } from './arrival';
import {
	checkAddress,
	checkSecret,
	checkSignature,
	CREDENTIAL_TYPES,
	readAuthentication,
	type WithCredential,
} from './authenticate';
import { isForwardLoop } from './forward';
import { parseBody } from './parseBody';
import { readReceiveThrough } from './receiveThrough';
import { countRejection, reject } from './rejection';
import { checkRelaySignature, readDelivery } from './relay/readDelivery';
import { Unusable } from './settingReaders';
import { startForEvents } from './startForEvents';
import { ALLOWED_ADDRESSES, readSettings, type SettingIssue, type TriggerSettings } from './triggerSettings';
import { ignored, type WebhookContext } from './webhookContext';
import { webhookCredential } from './webhookCredential';

/**
 * Handles a webhook: authenticates it, recognizes the event, and starts the workflow unless the event is a duplicate or
 * not wanted. If the service has to be asked first, the caller gets its response before that, within milliseconds. No
 * request makes it throw, because n8n would record a failed execution.
 */
export async function receiveWebhook(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const way = readReceiveThrough(context);
	if (way instanceof Unusable) return unusable(context, [{ field: 'Receive Through', message: way.message }]);
	return way === 'relay' ? await receiveFromRelay(context) : await receiveAtUrl(context);
}

async function receiveAtUrl(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const authentication = readAuthentication(context);
	if (authentication instanceof Unusable) {
		return unusable(context, [{ field: 'Authentication', message: authentication.message }]);
	}
	const credential = authentication === 'none' ? {} : await credentialFor(context, authentication);
	if (credential === undefined) return reject(context, { status: 503, reason: 'credential cannot be read' });
	const urlError = authentication === 'secret' ? checkSecret(context, credential) : undefined;
	if (urlError) return reject(context, urlError);
	const read = readSettings(context, 'url');
	if ('issues' in read) return unusable(context, read.issues);
	const { settings } = read;
	const callerError =
		checkAddress(context, settings.options.allowedIps) ??
		(authentication === 'signature' ? checkSignature(context, credential) : undefined);
	if (callerError) return reject(context, callerError);
	const request = parseBody(context);
	if ('status' in request) return reject(context, request);
	if (isForwardLoop(context)) {
		countRejection(context, { status: 200, reason: 'already forwarded' });
		return ignored('already forwarded');
	}
	return await startForRequest(webhookContext(context, settings), request);
}

/** Starts the workflow once for all events of a request that Trigger On includes. */
async function startForRequest(webhook: WebhookContext, { body, fields }: ReadBody): Promise<IWebhookResponseData> {
	const { context, settings } = webhook;
	const { triggerOn, customKeywords, options } = settings;
	const receivedAt = new Date().toISOString();
	// The user who chose only WhatsApp says so for messages that do not.
	const onlyWhatsapp = triggerOn.includes('inboundWhatsapp') && !triggerOn.includes('inboundSms');
	const records = recognizeEvents(fields, onlyWhatsapp ? 'inboundWhatsapp' : 'inboundSms', options.senderIds);
	const digest = fingerprint(JSON.stringify(body));
	const arrivals = records.flatMap(({ event, record }, index): Arrival[] => {
		const own = typeof record === 'object' ? record : String(record);
		const details = { received_at: receivedAt, body: records.length === 1 ? body : own };
		const request = `${digest}/${index}`;
		if (event === undefined) {
			return options.unrecognizedRequests === 'start' ? [{ item: { event: 'unrecognized' }, details }] : [];
		}
		if (!triggerOn.includes(event.name)) return [];
		return [{ item: eventItem(event, { customKeywords, senderIds: options.senderIds }), details, request }];
	});
	// A 200 would end the delivery of a part that is lost, which may be an opt-out.
	const lost = records.find(({ event }) => isLost(event?.name, settings));
	if (lost !== undefined || arrivals.length === 0) {
		const name = (lost ?? records[0])?.event?.name;
		return name === undefined ? unrecognized(context, settings, fields) : notChosen(context, name, fields);
	}
	return await startForEvents(webhook, arrivals);
}

async function receiveFromRelay(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const forgery = await checkRelaySignature(context);
	if (forgery) return reject(context, forgery);
	const read = readSettings(context, 'relay');
	if ('issues' in read) return unusable(context, read.issues);
	const arrivals = readDelivery(context, read.settings);
	if ('status' in arrivals) return reject(context, arrivals);
	return await startForEvents(webhookContext(context, read.settings), arrivals);
}

function webhookContext(context: IWebhookFunctions, settings: TriggerSettings): WebhookContext {
	const trigger = `${context.getWorkflow().id}/${context.getNode().id}`;
	return { context, settings, trigger, manual: context.getMode() === 'manual' };
}

async function credentialFor(
	context: IWebhookFunctions,
	authentication: WithCredential,
): Promise<ICredentialDataDecryptedObject | undefined> {
	const check = authentication === 'secret' ? checkSecret : checkSignature;
	const accepts = (credential: ICredentialDataDecryptedObject) => check(context, credential) === undefined;
	return await webhookCredential(context, CREDENTIAL_TYPES[authentication], accepts);
}

/**
 * Rejects the request while a field of the trigger cannot be read, and names the field in n8n's log. The sender may try
 * again: activation checks the fields, so an expression was right before.
 */
function unusable(context: IWebhookFunctions, issues: readonly SettingIssue[]): IWebhookResponseData {
	const [first] = issues.map(({ field }) => field);
	const isClosed = issues.some(({ field }) => field === ALLOWED_ADDRESSES);
	const field = isClosed ? ALLOWED_ADDRESSES : first;
	const message = `A field of this trigger cannot be read: ${field}`;
	return reject(context, { status: isClosed ? 403 : 503, reason: `${field} cannot be read`, message });
}

/** Whether nothing gets a record. A receipt that Trigger On does not include is not wanted. */
function isLost(name: EventName | undefined, { triggerOn, options }: TriggerSettings): boolean {
	if (name === undefined) return options.unrecognizedRequests === 'reject';
	return isMessage(name) && !triggerOn.includes(name);
}

function isMessage(name: EventName): boolean {
	return name === 'inboundSms' || name === 'inboundWhatsapp';
}

function unrecognized(
	context: IWebhookFunctions,
	{ triggerOn }: TriggerSettings,
	fields: JsonFields,
): IWebhookResponseData {
	const wanted = triggerOn.map((name) => REQUIRED_FIELDS[name]).join(' ');
	const sent = Object.keys(fields).slice(0, 20).join(', ') || 'nothing';
	const message = `Not a recognized event. ${wanted} The request had: ${sent.slice(0, 300)}`;
	return reject(context, { status: 422, reason: 'not recognized', message });
}

const REQUIRED_FIELDS: Readonly<Record<EventName, string>> = {
	inboundSms: 'An inbound SMS needs From, To and Message.',
	inboundWhatsapp: 'An inbound WhatsApp message needs from and message.',
	deliveryReceipt: 'A delivery receipt needs message_id and status.',
	lowBalance: 'A low-balance alert needs balance.',
};

/**
 * Receipts and alerts share one callback URL, so those that Trigger On does not include are accepted and ignored. An
 * unhandled inbound message would be lost, so it is rejected and the gateway sees that.
 */
function notChosen(context: IWebhookFunctions, name: EventName, fields: JsonFields): IWebhookResponseData {
	if (name === 'deliveryReceipt' && mayBeInboundMessage(fields)) {
		countRejection(context, {
			status: 200,
			reason: 'message between two numbers, treated as a delivery receipt because of its status',
		});
	}
	if (name === 'deliveryReceipt' || name === 'lowBalance') return ignored('not chosen under Trigger On');
	const label = name === 'inboundSms' ? 'inbound SMS' : 'inbound WhatsApp messages';
	const message = `This workflow does not accept ${label}: choose this event under Trigger On`;
	return reject(context, { status: 422, reason: 'not chosen under Trigger On', message });
}

/**
 * Whether the sender is a phone number. If the user did not choose receipts, the workflow would miss such a message
 * without a trace.
 */
function mayBeInboundMessage(fields: JsonFields): boolean {
	const text = events.inboundSms.payload.safeParse(fields);
	return text.success && toInternational(text.data.from).startsWith('+');
}
