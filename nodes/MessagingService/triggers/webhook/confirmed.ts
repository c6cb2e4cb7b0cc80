import type { IDataObject } from 'n8n-workflow';
import {
	passesFilters,
	progressIdentity,
	ServiceError,
	type AlertItem,
	type ReceiptItem,
} from '../../../../shared/index';
import { fingerprint } from '../../memory/fingerprint';
import { failedCall } from '../failure';
import { outputOf, type Arrival } from './arrival';
import { confirmAlert, confirmReceipt } from './confirm';
import { advance } from './deliveryProgress';
import { countRejection } from './rejection';
import type { EventMemory } from './rememberEvent';
import { logProblem, type WebhookContext } from './webhookContext';

/**
 * Confirms a receipt or an alert with the service.
 * @param memory of the event; undefined if it is not remembered
 * @returns the output with the service's data; undefined if the event starts nothing
 */
export async function confirmed(
	webhook: WebhookContext,
	arrival: Arrival,
	memory: EventMemory | undefined,
): Promise<IDataObject | undefined> {
	const { item } = arrival;
	if (item.event === 'message.status') return await confirmedReceipt(webhook, { ...arrival, item }, memory);
	if (item.event === 'wallet.low_balance') return await confirmedAlert(webhook, { ...arrival, item }, memory);
	return outputOf(arrival);
}

async function confirmedReceipt(
	webhook: WebhookContext,
	arrival: Arrival<ReceiptItem>,
	memory: EventMemory | undefined,
): Promise<IDataObject | undefined> {
	const { context, settings, trigger, manual } = webhook;
	const { item, relayed } = arrival;
	const requested = await confirmReceipt(context, item);
	if (requested instanceof ServiceError) return unconfirmed(webhook, arrival, memory, requested);
	if (requested === undefined) {
		countRejection(context, { status: 200, reason: 'receipt for a message that the service does not know' });
		return undefined;
	}
	const { status, channel, provider_status } = requested;
	// Only the service's status counts, so that a forged status cannot block the true one.
	if (status !== item.status && !relayed) memory?.forget();
	const isRepeat = manual || relayed?.replay !== undefined;
	if (!isRepeat && advance(fingerprint(trigger, ...progressIdentity(item)), status) !== 'new') return undefined;
	const output: ReceiptItem = {
		...item,
		status,
		channel: channel ?? item.channel,
		provider_status: provider_status ?? item.provider_status,
		confirmed: true,
	};
	return passesFilters(output, settings.filters) ? outputOf({ ...arrival, item: output }) : undefined;
}

async function confirmedAlert(
	webhook: WebhookContext,
	arrival: Arrival<AlertItem>,
	memory: EventMemory | undefined,
): Promise<IDataObject | undefined> {
	const { context } = webhook;
	const { item } = arrival;
	const requested = await confirmAlert(context);
	if (requested instanceof ServiceError) return unconfirmed(webhook, arrival, memory, requested);
	const { balance, currency } = requested;
	if (item.threshold !== null && balance >= item.threshold) {
		memory?.forget();
		countRejection(context, { status: 200, reason: 'low balance that the service does not confirm' });
		return undefined;
	}
	return outputOf({ ...arrival, item: { ...item, balance, currency: currency ?? item.currency, confirmed: true } });
}

/** The output of an event that could not be confirmed. It lacks the keys that a workflow acts on. */
function unconfirmed(
	{ context }: WebhookContext,
	{ item, details }: Arrival,
	memory: EventMemory | undefined,
	error: ServiceError,
): IDataObject {
	memory?.forget();
	const { problem, loggable } = failedCall(error);
	logProblem(context, `the service could not be asked about a ${item.event}: ${loggable}`);
	return { event: 'confirmation.failed', error: problem, payload: { ...item }, ...details };
}
