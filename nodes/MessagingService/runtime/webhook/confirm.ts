import type { IWebhookFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';
import { contract, messageRank } from '../../../../shared/index';
import { failedCall, triggerClient, type ServiceResult } from '../triggerClient';
import type { AlertItem, ReceiptItem } from './eventItem';

/**
 * Asks the service for a message. A receipt may arrive before the service has stored its status. So if the message is
 * unknown or has an earlier status, this polls for four seconds.
 * @returns the status and channel; undefined if the service does not know the message
 */
export async function confirmReceipt(
	context: IWebhookFunctions,
	{ message_id: id, status: reported }: Pick<ReceiptItem, 'message_id' | 'status'>,
): Promise<ServiceResult<Pick<ReceiptItem, 'status' | 'channel' | 'provider_status'> | undefined>> {
	const made = await triggerClient(context);
	if ('problem' in made) return made;
	for (const waitMs of [1_000, 3_000, undefined]) {
		const requested = await made.result.call(contract.message.get, { id });
		if (requested.outcome !== 'accepted') {
			if (requested.error.meaning !== 'not_found') return failedCall(requested.error);
			if (waitMs === undefined) return { result: undefined };
		} else {
			const { channel, provider_status } = requested.output;
			const status = requested.output.status.trim().toLowerCase();
			if (waitMs === undefined || !isBehind(status, reported)) {
				const details = { channel: channel?.toLowerCase() ?? null, provider_status: provider_status ?? null };
				return { result: { status, ...details } };
			}
		}
		await sleep(waitMs);
	}
	return { result: undefined };
}

/** Asks the service for the balance. */
export async function confirmAlert(
	context: IWebhookFunctions,
): Promise<ServiceResult<Pick<AlertItem, 'balance' | 'currency'>>> {
	const made = await triggerClient(context);
	if ('problem' in made) return made;
	const requested = await made.result.call(contract.wallet.getBalance, {});
	if (requested.outcome !== 'accepted') return failedCall(requested.error);
	return { result: { balance: requested.output.balance, currency: requested.output.currency ?? null } };
}

/** Whether a status comes before another. False if one of them is not known. */
function isBehind(status: string, other: string): boolean {
	const [rank, otherRank] = [messageRank(status), messageRank(other)];
	return rank !== undefined && otherRank !== undefined && rank < otherRank;
}
