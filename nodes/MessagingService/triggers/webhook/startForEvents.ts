import type { IDataObject, IWebhookResponseData } from 'n8n-workflow';
import { createSemaphore } from '../../../../shared/index';
import { admit, type Admission } from './admit';
import { outputOf, type Arrival } from './arrival';
import { confirmed } from './confirmed';
import { tryAgain } from './dedupe';
import { memoryOf } from './rememberEvent';
import {
	ignored,
	respondEarly,
	responded,
	startAfterResponse,
	startWorkflow,
	type WebhookContext,
} from './webhookContext';

/** Calls to the service at the same time, for the events of one request. */
const CONFIRMATIONS_AT_ONCE = 5;

type Admitted = Arrival & Pick<Extract<Admission, { readonly verdict: 'new' }>, 'memory' | 'remembered'>;

/**
 * Starts the workflow once for the new events of one request, after the service confirmed them if the user chose that.
 * If an earlier request with one of the events is undecided, the sender repeats the whole request.
 */
export async function startForEvents(
	webhook: WebhookContext,
	arrivals: readonly Arrival[],
): Promise<IWebhookResponseData> {
	const { context } = webhook;
	// Before the first event is remembered, because the sender repeats all of them.
	if (arrivals.some((arrival) => memoryOf(webhook, arrival)?.isUndecided())) return tryAgain(context);
	const admitted: Admitted[] = [];
	const reasons: string[] = [];
	for (const arrival of arrivals) {
		const admission = admit(webhook, arrival);
		if (admission.verdict !== 'new') reasons.push(admission.verdict);
		else if (admission.obstacle) reasons.push(admission.obstacle);
		else admitted.push({ ...arrival, ...admission });
	}
	if (admitted.length === 0) return ignored(reasons[0] ?? 'no event');
	if (!admitted.some((arrival) => isToBeConfirmed(webhook, arrival))) {
		const remembered = admitted.flatMap((arrival) => arrival.remembered ?? []);
		return startWorkflow(webhook, admitted.map(outputOf), remembered);
	}
	respondEarly(context);
	const outputs = await outputsAfterConfirming(webhook, admitted);
	return outputs.length > 0 ? startAfterResponse(webhook, outputs) : responded;
}

async function outputsAfterConfirming(webhook: WebhookContext, admitted: readonly Admitted[]): Promise<IDataObject[]> {
	const places = createSemaphore(CONFIRMATIONS_AT_ONCE);
	const outputs = await Promise.all(
		admitted.map(async (arrival) => {
			if (!isToBeConfirmed(webhook, arrival)) return outputOf(arrival);
			const leave = await places.take();
			try {
				return await confirmed(webhook, arrival, arrival.memory);
			} finally {
				leave();
			}
		}),
	);
	return outputs.filter((output) => output !== undefined);
}

function isToBeConfirmed({ settings }: WebhookContext, { item }: Arrival): boolean {
	return (
		settings.beforeStarting.includes('confirm') &&
		(item.event === 'message.status' || item.event === 'wallet.low_balance')
	);
}
