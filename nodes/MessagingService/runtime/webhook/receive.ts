import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { events, recognizeEvent, type EventName } from '../../../../shared/index';
import { startWorkflow, ignored, type WebhookContext } from './webhookContext';
import { eventItem } from './eventItem';
import { isForwardLoop } from './forward';
import { toInternational } from './phoneAddress';
import { parseBody } from './parseBody';
import { countRejection, reject } from './rejection';
import { handleLowBalance } from './handleLowBalance';
import { handleReceipt } from './handleReceipt';
import { handleInboundMessage } from './handleInboundMessage';
import { ALLOWED_ADDRESSES, readSettings, type SettingIssue } from './triggerSettings';
import { checkAddress, checkSecret, checkSignature } from './authenticate';
import { webhookCredential } from './webhookCredential';

/**
 * Handles a webhook: authenticates it, recognizes the event, and starts the workflow unless the event is a duplicate or
 * not wanted. If the service has to be asked first, the caller gets its response before that, within milliseconds. No
 * request makes it throw, because n8n would record a failed execution.
 */
export async function receiveWebhook(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const credential = await webhookCredential(context);
	if (credential === undefined) return reject(context, { status: 503, reason: 'credential cannot be read' });
	const authError = checkSecret(context, credential);
	if (authError) return reject(context, authError);
	const read = readSettings(context);
	if ('issues' in read) return unusable(context, read.issues);
	const { settings } = read;
	const callerError = checkAddress(context, settings.options.allowedIps) ?? checkSignature(context, credential);
	if (callerError) return reject(context, callerError);
	const request = parseBody(context);
	if ('status' in request) return reject(context, request);
	if (isForwardLoop(context)) {
		countRejection(context, { status: 200, reason: 'already forwarded' });
		return ignored('already forwarded');
	}
	const trigger = `${context.getWorkflow().id}/${context.getNode().id}`;
	const webhook: WebhookContext = { context, settings, request, trigger, manual: context.getMode() === 'manual' };
	const { triggerOn } = settings;
	const messageEvents = (['inboundSms', 'inboundWhatsapp'] as const).filter((name) => triggerOn.includes(name));
	const event = recognizeEvent(request.fields, messageEvents.length > 0 ? messageEvents : undefined);
	if (event === undefined) return unrecognized(webhook);
	if (!triggerOn.includes(event.name)) return notChosen(webhook, event.name);
	const item = eventItem(event, settings.customKeywords);
	switch (item.event) {
		case 'sms.inbound':
		case 'whatsapp.inbound':
			return await handleInboundMessage(webhook, item);
		case 'message.status':
			return await handleReceipt(webhook, item);
		case 'wallet.low_balance':
			return await handleLowBalance(webhook, item);
	}
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

function unrecognized(webhook: WebhookContext): IWebhookResponseData {
	const { context, settings, request } = webhook;
	if (settings.options.unrecognizedRequests === 'start') return startWorkflow(webhook, { event: 'unrecognized' });
	const wanted = settings.triggerOn.map((name) => REQUIRED_FIELDS[name]).join(' ');
	const sent = Object.keys(request.fields).slice(0, 20).join(', ') || 'nothing';
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
function notChosen({ context, request }: WebhookContext, name: EventName): IWebhookResponseData {
	if (name === 'deliveryReceipt' && mayBeInboundMessage(request.fields)) {
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
function mayBeInboundMessage(fields: IDataObject): boolean {
	const text = events.inboundSms.payload.safeParse(fields);
	return text.success && toInternational(text.data.from).startsWith('+');
}
