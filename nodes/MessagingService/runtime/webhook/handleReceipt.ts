import type { IWebhookResponseData } from 'n8n-workflow';
import { isUndecided, tryAgain } from './acceptance';
import {
	responded,
	respondEarly,
	startWorkflow,
	startAfterResponse,
	ignored,
	type WebhookContext,
} from './webhookContext';
import { markSeen, unmarkSeen } from './dedupe';
import { confirmReceipt } from './confirm';
import { advance, judgeStatus, undoAdvance } from './deliveryProgress';
import type { ReceiptItem } from './eventItem';
import { passesFilters } from './filters';
import { fingerprint } from '../fingerprint';
import { countRejection } from './rejection';
import { unconfirmed } from './unconfirmed';

/** How long a receipt that is being confirmed counts as seen, in milliseconds. */
const KNOWN_MS = 600_000;

/**
 * Starts the workflow for a receipt that moves its message forward, after the service confirmed it if the user chose
 * that.
 */
export async function handleReceipt(webhook: WebhookContext, item: ReceiptItem): Promise<IWebhookResponseData> {
	const { context, settings, trigger, manual } = webhook;
	const message = fingerprint(trigger, 'message', item.message_id);
	if (!settings.beforeStarting.includes('confirm')) {
		const key = fingerprint(trigger, 'receipt', item.message_id, item.status);
		if (!manual && isUndecided(key)) return tryAgain(context);
		const verdict = manual ? 'new' : advance(message, item.status);
		if (verdict !== 'new') return ignored(verdict === 'known' ? 'duplicate' : 'late');
		if (!passesFilters(item, settings.filters)) return ignored('filtered out');
		return startWorkflow(webhook, item, manual ? undefined : { key, forget: () => undoAdvance(message, item.status) });
	}
	const verdict = manual ? 'new' : judgeStatus(message, item.status);
	if (verdict !== 'new') return ignored(verdict === 'known' ? 'duplicate' : 'late');
	if (!passesFilters(item, settings.filters)) return ignored('filtered out');
	const key = fingerprint(trigger, 'confirm', item.message_id, item.status);
	if (!manual && !markSeen(key, KNOWN_MS)) return ignored('duplicate');
	respondEarly(context);
	const requested = await confirmReceipt(context, item);
	if ('problem' in requested) {
		unmarkSeen(key);
		return unconfirmed(webhook, item, requested);
	}
	if (requested.result === undefined) {
		countRejection(context, { status: 200, reason: 'receipt for a message that the service does not know' });
		return responded;
	}
	const { status, channel, provider_status } = requested.result;
	// Only the service's status counts, so that a forged status cannot block the true one.
	if (status !== item.status) unmarkSeen(key);
	if (!manual && advance(message, status) !== 'new') return responded;
	const confirmed: ReceiptItem = {
		...item,
		status,
		channel: channel ?? item.channel,
		provider_status: provider_status ?? item.provider_status,
		confirmed: true,
	};
	return passesFilters(confirmed, settings.filters) ? startAfterResponse(webhook, confirmed) : responded;
}
