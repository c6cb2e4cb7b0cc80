import type { IWebhookResponseData } from 'n8n-workflow';
import { isUndecided, tryAgain } from './acceptance';
import { answered, answerNow, start, startAnswered, unstarted, type Arrival } from './arrival';
import { claim, release } from './claims';
import { confirmReceipt } from './confirm';
import { advance, judge, takeBack } from './deliveryProgress';
import type { ReceiptItem } from './eventItem';
import { passesFilters } from './filters';
import { fingerprint } from '../fingerprint';
import { count } from './refusal';
import { unconfirmed } from './unconfirmed';

/** How long a receipt that is being confirmed is known, in milliseconds. */
const KNOWN_MS = 600_000;

/** Starts the workflow for a receipt that moves its message on, once the service has confirmed it where that is chosen. */
export async function takeReceipt(arrival: Arrival, item: ReceiptItem): Promise<IWebhookResponseData> {
	const { context, settings, trigger, manual } = arrival;
	const message = fingerprint(trigger, 'message', item.message_id);
	if (!settings.beforeStarting.includes('confirm')) {
		const key = fingerprint(trigger, 'receipt', item.message_id, item.status);
		if (!manual && isUndecided(key)) return tryAgain(context);
		const verdict = manual ? 'new' : advance(message, item.status);
		if (verdict !== 'new') return unstarted(verdict === 'known' ? 'duplicate' : 'late');
		if (!passesFilters(item, settings.filters)) return unstarted('filtered out');
		return start(arrival, item, manual ? undefined : { key, forget: () => takeBack(message, item.status) });
	}
	const verdict = manual ? 'new' : judge(message, item.status);
	if (verdict !== 'new') return unstarted(verdict === 'known' ? 'duplicate' : 'late');
	if (!passesFilters(item, settings.filters)) return unstarted('filtered out');
	const key = fingerprint(trigger, 'confirm', item.message_id, item.status);
	if (!manual && !claim(key, KNOWN_MS)) return unstarted('duplicate');
	answerNow(context);
	const asked = await confirmReceipt(context, item);
	if ('problem' in asked) {
		release(key);
		return unconfirmed(arrival, item, asked);
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
