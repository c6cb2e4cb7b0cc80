import type { IWebhookFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';
import { contract, messageRank, ServiceError, type AlertItem, type ReceiptItem } from '../../../../shared/index';
import { credentialClient, TRIGGER_CLIENT } from '../../host/client';

/** The service's own fields of a message. */
type ConfirmedReceipt = Pick<ReceiptItem, 'status' | 'channel' | 'provider_status'>;

/**
 * Asks the service for a message. A receipt may arrive before the service has stored its status. So if the message is
 * unknown or has an earlier status, this polls for four seconds.
 * @returns the status and channel; undefined if the service does not know the message
 */
export async function confirmReceipt(
	context: IWebhookFunctions,
	{ message_id: id, status: reported }: Pick<ReceiptItem, 'message_id' | 'status'>,
): Promise<ConfirmedReceipt | undefined | ServiceError> {
	const made = await credentialClient(context, TRIGGER_CLIENT);
	if (made instanceof ServiceError) return made;
	for (const waitMs of [1_000, 3_000, undefined]) {
		const requested = await made.client.call(contract.message.get, { id });
		if (requested.outcome !== 'accepted') {
			if (requested.error.meaning !== 'not_found') return requested.error;
			if (waitMs === undefined) return undefined;
		} else {
			const { channel, provider_status } = requested.output;
			const status = requested.output.status.trim().toLowerCase();
			if (waitMs === undefined || !isBehind(status, reported)) {
				const details = { channel: channel?.toLowerCase() ?? null, provider_status: provider_status ?? null };
				return { status, ...details };
			}
		}
		await sleep(waitMs);
	}
	return undefined;
}

/** Asks the service for the balance. */
export async function confirmAlert(
	context: IWebhookFunctions,
): Promise<Pick<AlertItem, 'balance' | 'currency'> | ServiceError> {
	const made = await credentialClient(context, TRIGGER_CLIENT);
	if (made instanceof ServiceError) return made;
	const requested = await made.client.call(contract.wallet.getBalance, {});
	if (requested.outcome !== 'accepted') return requested.error;
	return { balance: requested.output.balance, currency: requested.output.currency ?? null };
}

/** Whether a status comes before another. False if one of them is not known. */
function isBehind(status: string, other: string): boolean {
	const [rank, otherRank] = [messageRank(status), messageRank(other)];
	return rank !== undefined && otherRank !== undefined && rank < otherRank;
}
