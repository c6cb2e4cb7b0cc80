import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { recogniseEvent, type EventName } from '../../../../shared';
import { claim, release } from './claims';
import { confirmAlert, confirmReceipt } from './confirm';
import { advance, judge } from './deliveryProgress';
import { eventItem, type AlertItem, type EventItem, type ReceiptItem, type TextItem } from './eventItem';
import { passesFilters } from './filters';
import { fingerprint } from './fingerprint';
import { toOutputs } from './outputs';
import { cameBack, passOn } from './passOn';
import { readPost, type Post } from './readPost';
import { count, refuse } from './refusal';
import { takeTurn } from './senderLimit';
import { readSettings, type TriggerSettings } from './triggerSettings';
import { checkAddress, checkSecret, checkSignature, WEBHOOK_CREDENTIAL, type WebhookSecrets } from './trust';

/** How long a text is known by its message id, and an alert by its amounts, in milliseconds. */
const TEXT_ID_KNOWN_MS = 24 * 3_600_000;
const ALERT_KNOWN_MS = 600_000;

/** A post on its way through the trigger. */
interface Arrival {
	readonly context: IWebhookFunctions;
	readonly settings: TriggerSettings;
	readonly post: Post;
	/** Names the trigger in what the process remembers. */
	readonly trigger: string;
	/** Whether somebody listens in the editor: then nothing is held back as known. */
	readonly manual: boolean;
}

/**
 * Takes a post: checks who it is from, finds out what it is, and starts the workflow unless it is known already or not
 * wanted. Where the service is asked first, the caller gets its answer before that, within milliseconds. It never throws
 * for anything that may be posted: n8n would record a failed execution for it.
 */
export async function receivePost(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const credential = await readWebhookCredential(context);
	if (credential === undefined) return refuse(context, { status: 503, reason: 'credential cannot be read' });
	const stranger = checkSecret(context, credential);
	if (stranger) return refuse(context, stranger);
	const settings = readSettings(context);
	const doubtful = checkAddress(context, settings.options.allowedIps) ?? checkSignature(context, credential);
	if (doubtful) return refuse(context, doubtful);
	const post = readPost(context);
	if ('status' in post) return refuse(context, post);
	if (cameBack(context)) {
		count(context, { status: 200, reason: 'came back after it was passed on' });
		return unstarted('passed on before');
	}
	const trigger = `${context.getWorkflow().id}/${context.getNode().id}`;
	const arrival: Arrival = { context, settings, post, trigger, manual: context.getMode() === 'manual' };
	const { triggerOn } = settings;
	const texts = (['inboundSms', 'inboundWhatsapp'] as const).filter((name) => triggerOn.includes(name));
	const event = recogniseEvent(post.fields, texts.length > 0 ? texts : undefined);
	if (event === undefined) return unknown(arrival);
	if (!triggerOn.includes(event.name)) return unwanted(arrival, event.name);
	const item = eventItem(event, settings.ownKeywords);
	switch (item.event) {
		case 'sms.inbound':
		case 'whatsapp.inbound':
			return await takeText(arrival, item);
		case 'message.status':
			return await takeReceipt(arrival, item);
		case 'wallet.low_balance':
			return await takeAlert(arrival, item);
	}
}

async function readWebhookCredential(context: IWebhookFunctions): Promise<WebhookSecrets | undefined> {
	try {
		return await context.getCredentials<WebhookSecrets>(WEBHOOK_CREDENTIAL);
	} catch {
		return undefined;
	}
}

function unknown(arrival: Arrival): IWebhookResponseData {
	const { context, settings, post } = arrival;
	if (settings.options.unknownPosts === 'start') return start(arrival, { event: 'unknown' });
	const wanted = settings.triggerOn.map((name) => NEEDED[name]).join('; or ');
	const had = Object.keys(post.fields).slice(0, 20).join(', ') || 'nothing';
	const message = `Not recognised. Post ${wanted}. It had: ${had.slice(0, 300)}`;
	return refuse(context, { status: 422, reason: 'not recognised', message });
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
function unwanted({ context }: Arrival, name: EventName): IWebhookResponseData {
	if (name === 'deliveryReceipt' || name === 'lowBalance') return unstarted('not chosen under Trigger On');
	const label = name === 'inboundSms' ? 'inbound SMS' : 'inbound WhatsApp messages';
	const message = `This workflow does not take ${label}: choose it under Trigger On`;
	return refuse(context, { status: 422, reason: 'not chosen under Trigger On', message });
}

async function takeText(arrival: Arrival, item: TextItem): Promise<IWebhookResponseData> {
	const { context, settings, trigger, manual } = arrival;
	const { from, to, message, message_id } = item;
	const key = fingerprint(trigger, item.event, from, to, message, message_id);
	const knownMs = message_id === null ? settings.options.ignoreRepeatsSeconds * 1000 : TEXT_ID_KNOWN_MS;
	if (!manual && !claim(key, knownMs)) return unstarted('known already');
	const wanted = passesFilters(item, settings.filters);
	const allowed = wanted && mayStart(arrival, from);
	const because = wanted ? 'too many from this sender' : 'filtered out';
	// STOP and all other texts reach the service whether or not the workflow starts.
	if (!settings.serviceCalls.includes('passOn') || item.event !== 'sms.inbound') {
		return allowed ? start(arrival, item) : unstarted(because);
	}
	answerNow(context);
	const passed = await passOn(context, item, settings.options.passOnUrl);
	const problem = 'problem' in passed ? passed.problem : undefined;
	if (problem !== undefined) {
		logProblem(context, `a text could not be passed on: ${problem}`);
		// Who texts STOP once more shall be heard.
		if (item.keyword === 'stop') release(key);
	}
	if (allowed) {
		return startAnswered(arrival, {
			...item,
			passed_on: problem === undefined,
			...(problem !== undefined && { pass_on_problem: problem }),
		});
	}
	if (problem === undefined) return answered;
	return startAnswered(arrival, { event: 'pass_on.failed', problem, not_started: because, text: { ...item } });
}

function mayStart({ context, settings, trigger, manual }: Arrival, sender: string): boolean {
	if (manual) return true;
	const perHour = settings.options.startsPerSenderPerHour;
	const { allowed, firstRefusal } = takeTurn(fingerprint(trigger, sender), perHour);
	if (firstRefusal) {
		logProblem(context, `one sender started the workflow ${perHour} times within an hour; its texts now start nothing`);
	}
	return allowed;
}

async function takeReceipt(arrival: Arrival, item: ReceiptItem): Promise<IWebhookResponseData> {
	const { context, settings, trigger, manual } = arrival;
	const message = fingerprint(trigger, 'message', item.message_id);
	if (!settings.serviceCalls.includes('confirm')) {
		const verdict = manual ? 'new' : advance(message, item.status);
		if (verdict !== 'new') return unstarted(verdict === 'known' ? 'known already' : 'late');
		return passesFilters(item, settings.filters) ? start(arrival, item) : unstarted('filtered out');
	}
	const verdict = manual ? 'new' : judge(message, item.status);
	if (verdict !== 'new') return unstarted(verdict === 'known' ? 'known already' : 'late');
	if (!passesFilters(item, settings.filters)) return unstarted('filtered out');
	const key = fingerprint(trigger, 'confirm', item.message_id, item.status);
	if (!manual && !claim(key, ALERT_KNOWN_MS)) return unstarted('known already');
	answerNow(context);
	const asked = await confirmReceipt(context, item);
	if ('problem' in asked) {
		release(key);
		return unconfirmed(arrival, item, asked.problem);
	}
	if (asked.result === undefined) {
		count(context, { status: 200, reason: 'receipt of a message that the service does not know' });
		return answered;
	}
	const { status, channel, provider_status } = asked.result;
	// Only what the service says moves a message: a forged status must not keep the true one out.
	if (status !== item.status) release(key);
	if (!manual && advance(message, status) !== 'new') return answered;
	const confirmed: ReceiptItem = {
		...item,
		status,
		channel: channel ?? item.channel,
		provider_status: provider_status ?? item.provider_status,
		confirmed: true,
	};
	return passesFilters(confirmed, settings.filters) ? startAnswered(arrival, confirmed) : answered;
}

async function takeAlert(arrival: Arrival, item: AlertItem): Promise<IWebhookResponseData> {
	const { context, settings, trigger, manual } = arrival;
	const key = fingerprint(trigger, item.event, item.balance, item.threshold, item.currency);
	if (!manual && !claim(key, ALERT_KNOWN_MS)) return unstarted('known already');
	if (!settings.serviceCalls.includes('confirm')) return start(arrival, item);
	answerNow(context);
	const asked = await confirmAlert(context);
	if ('problem' in asked) {
		release(key);
		return unconfirmed(arrival, item, asked.problem);
	}
	const { balance, currency } = asked.result;
	if (item.threshold !== null && balance >= item.threshold) {
		release(key);
		count(context, { status: 200, reason: 'low balance that the service does not confirm' });
		return answered;
	}
	return startAnswered(arrival, { ...item, balance, currency: currency ?? item.currency, confirmed: true });
}

/** What nobody confirmed has none of the keys that a workflow acts on. */
function unconfirmed(arrival: Arrival, item: EventItem, problem: string): IWebhookResponseData {
	logProblem(arrival.context, `the service could not be asked about a ${item.event}: ${problem}`);
	return startAnswered(arrival, { event: 'confirmation.failed', problem, reported: { ...item } });
}

function logProblem(context: IWebhookFunctions, what: string): void {
	context.logger.warn(`Messaging Service Trigger "${context.getNode().name}": ${what}`, {
		workflowId: context.getWorkflow().id,
	});
}

/** Starts the workflow; n8n answers the caller once it has begun. */
function start(arrival: Arrival, item: IDataObject): IWebhookResponseData {
	return { webhookResponse: { received: true }, workflowData: workflowData(arrival, item) };
}

/** Starts the workflow for a caller that has its answer. */
function startAnswered(arrival: Arrival, item: IDataObject): IWebhookResponseData {
	return { noWebhookResponse: true, workflowData: workflowData(arrival, item) };
}

function workflowData({ post, settings }: Arrival, item: IDataObject) {
	return toOutputs({ ...item, received_at: new Date().toISOString(), body: post.body }, settings);
}

/** Answers well and starts nothing: the sender need not post it again. */
function unstarted(reason: string): IWebhookResponseData {
	return { webhookResponse: { received: true, started: false, reason } };
}

const answered: IWebhookResponseData = { noWebhookResponse: true };

function answerNow(context: IWebhookFunctions): void {
	context.getResponseObject().status(200).json({ received: true });
}
