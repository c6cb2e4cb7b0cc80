import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { events, recogniseEvent, type EventName } from '../../../../shared/index';
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
 * Takes a post: checks who it is from, finds out what it is, and starts the workflow unless it is known already or not
 * wanted. Where the service is asked first, the caller gets its answer before that, within milliseconds. It never throws
 * for anything that may be posted: n8n would record a failed execution for it.
 */
export async function receiveWebhook(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const credential = await webhookCredential(context);
	if (credential === undefined) return reject(context, { status: 503, reason: 'credential cannot be read' });
	const authError = checkSecret(context, credential);
	if (authError) return reject(context, authError);
	const read = readSettings(context);
	if ('issues' in read) return unusable(context, read.issues);
	const { settings } = read;
	const doubtful = checkAddress(context, settings.options.allowedIps) ?? checkSignature(context, credential);
	if (doubtful) return reject(context, doubtful);
	const post = parseBody(context);
	if ('status' in post) return reject(context, post);
	if (isForwardLoop(context)) {
		countRejection(context, { status: 200, reason: 'came back after it was forwarded' });
		return ignored('already forwarded');
	}
	const trigger = `${context.getWorkflow().id}/${context.getNode().id}`;
	const webhook: WebhookContext = { context, settings, post, trigger, manual: context.getMode() === 'manual' };
	const { triggerOn } = settings;
	const texts = (['inboundSms', 'inboundWhatsapp'] as const).filter((name) => triggerOn.includes(name));
	const event = recogniseEvent(post.fields, texts.length > 0 ? texts : undefined);
	if (event === undefined) return unknown(webhook);
	if (!triggerOn.includes(event.name)) return unwanted(webhook, event.name);
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
 * Starts nothing while a field of the trigger cannot be read, and says which one in n8n's log. The sender may try again:
 * activation rejects such a field, so it comes from an expression that was right before.
 */
function unusable(context: IWebhookFunctions, issues: readonly SettingIssue[]): IWebhookResponseData {
	const [first] = issues.map(({ field }) => field);
	const isClosed = issues.some(({ field }) => field === ALLOWED_ADDRESSES);
	const reason = `${isClosed ? ALLOWED_ADDRESSES : first} cannot be read`;
	return reject(context, { status: isClosed ? 403 : 503, reason, message: `A field of this trigger: ${reason}` });
}

function unknown(webhook: WebhookContext): IWebhookResponseData {
	const { context, settings, post } = webhook;
	if (settings.options.unrecognizedRequests === 'start') return startWorkflow(webhook, { event: 'unrecognized' });
	const wanted = settings.triggerOn.map((name) => NEEDED[name]).join('; or ');
	const had = Object.keys(post.fields).slice(0, 20).join(', ') || 'nothing';
	const message = `Not recognised. Post ${wanted}. It had: ${had.slice(0, 300)}`;
	return reject(context, { status: 422, reason: 'not recognised', message });
}

const NEEDED: Readonly<Record<EventName, string>> = {
	inboundSms: 'From, To and Message for an inbound SMS',
	inboundWhatsapp: 'from and message for an inbound WhatsApp message',
	deliveryReceipt: 'message_id and status for a delivery receipt',
	lowBalance: 'balance for a low balance',
};

/**
 * Receipts and alerts come to one callback URL, so that those which are not wanted are quietly taken. A text that
 * nobody takes is lost, which its sender's gateway shall know.
 */
function unwanted({ context, post }: WebhookContext, name: EventName): IWebhookResponseData {
	if (name === 'deliveryReceipt' && mayBeText(post.fields)) {
		countRejection(context, {
			status: 200,
			reason: 'text between two numbers, read as a delivery receipt because of its status',
		});
	}
	if (name === 'deliveryReceipt' || name === 'lowBalance') return ignored('not chosen under Trigger On');
	const label = name === 'inboundSms' ? 'inbound SMS' : 'inbound WhatsApp messages';
	const message = `This workflow does not take ${label}: choose it under Trigger On`;
	return reject(context, { status: 422, reason: 'not chosen under Trigger On', message });
}

/** Whether a phone number wrote it: if no receipts are chosen, its owner would miss texts without a word. */
function mayBeText(fields: IDataObject): boolean {
	const text = events.inboundSms.payload.safeParse(fields);
	return text.success && toInternational(text.data.from).startsWith('+');
}
