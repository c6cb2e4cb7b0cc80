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
import { confirmAlert } from './confirm';
import type { AlertItem } from './eventItem';
import { fingerprint } from '../fingerprint';
import { countRejection } from './rejection';
import { unconfirmed } from './unconfirmed';

/** How long alerts with the same amounts are duplicates, in milliseconds. */
const KNOWN_MS = 600_000;

/** Starts the workflow for a new low-balance alert, after the service confirmed it if the user chose that. */
export async function handleLowBalance(webhook: WebhookContext, item: AlertItem): Promise<IWebhookResponseData> {
	const { context, settings, trigger, manual } = webhook;
	const key = fingerprint(trigger, item.event, item.balance, item.threshold, item.currency);
	if (!manual && isUndecided(key)) return tryAgain(context);
	if (!manual && !markSeen(key, KNOWN_MS)) return ignored('duplicate');
	if (!settings.beforeStarting.includes('confirm'))
		return startWorkflow(webhook, item, manual ? undefined : { key, forget: () => unmarkSeen(key) });
	respondEarly(context);
	const requested = await confirmAlert(context);
	if ('problem' in requested) {
		unmarkSeen(key);
		return unconfirmed(webhook, item, requested);
	}
	const { balance, currency } = requested.result;
	if (item.threshold !== null && balance >= item.threshold) {
		unmarkSeen(key);
		countRejection(context, { status: 200, reason: 'low balance that the service does not confirm' });
		return responded;
	}
	return startAfterResponse(webhook, { ...item, balance, currency: currency ?? item.currency, confirmed: true });
}
