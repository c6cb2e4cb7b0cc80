import type { IWebhookResponseData } from 'n8n-workflow';
import { isUndecided, tryAgain } from './acceptance';
import { answered, answerNow, start, startAnswered, unstarted, type Arrival } from './arrival';
import { claim, release } from './claims';
import { confirmAlert } from './confirm';
import type { AlertItem } from './eventItem';
import { fingerprint } from '../fingerprint';
import { count } from './refusal';
import { unconfirmed } from './unconfirmed';

/** How long an alert is known by its amounts, in milliseconds. */
const KNOWN_MS = 600_000;

/** Starts the workflow for an alert that is not known yet, once the service has confirmed it where that is chosen. */
export async function takeAlert(arrival: Arrival, item: AlertItem): Promise<IWebhookResponseData> {
	const { context, settings, trigger, manual } = arrival;
	const key = fingerprint(trigger, item.event, item.balance, item.threshold, item.currency);
	if (!manual && isUndecided(key)) return tryAgain(context);
	if (!manual && !claim(key, KNOWN_MS)) return unstarted('duplicate');
	if (!settings.beforeStarting.includes('confirm'))
		return start(arrival, item, manual ? undefined : { key, forget: () => release(key) });
	answerNow(context);
	const asked = await confirmAlert(context);
	if ('problem' in asked) {
		release(key);
		return unconfirmed(arrival, item, asked);
	}
	const { balance, currency } = asked.result;
	if (item.threshold !== null && balance >= item.threshold) {
		release(key);
		count(context, { status: 200, reason: 'low balance that the service does not confirm' });
		return answered;
	}
	return startAnswered(arrival, { ...item, balance, currency: currency ?? item.currency, confirmed: true });
}
