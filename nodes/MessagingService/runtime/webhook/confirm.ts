import type { IWebhookFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';
import { contract, messageRank } from '../../../../shared/index';
import { failedCall, triggerClient, type ServiceResult } from '../triggerClient';
import type { AlertItem, ReceiptItem } from './eventItem';

/**
 * What the service says of a message; undefined where it does not know it. A receipt may come before the service has
 * kept what it tells, so that an unknown message or one that is not as far is asked for again, for four seconds.
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
				const told = { channel: channel?.toLowerCase() ?? null, provider_status: provider_status ?? null };
				return { result: { status, ...told } };
			}
		}
		await sleep(waitMs);
	}
	return { result: undefined };
}

/** What the service says of the wallet. */
export async function confirmAlert(
	context: IWebhookFunctions,
): Promise<ServiceResult<Pick<AlertItem, 'balance' | 'currency'>>> {
	const made = await triggerClient(context);
	if ('problem' in made) return made;
	const requested = await made.result.call(contract.wallet.getBalance, {});
	if (requested.outcome !== 'accepted') return failedCall(requested.error);
	return { result: { balance: requested.output.balance, currency: requested.output.currency ?? null } };
}

/** Whether a status is of an earlier stage than another; never for statuses that are not known. */
function isBehind(status: string, other: string): boolean {
	const [rank, otherRank] = [messageRank(status), messageRank(other)];
	return rank !== undefined && otherRank !== undefined && rank < otherRank;
}
