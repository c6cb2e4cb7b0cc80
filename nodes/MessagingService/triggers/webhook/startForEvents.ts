import type { IDataObject, IWebhookResponseData } from 'n8n-workflow';
import type { InboundItem } from '../../../../shared/index';
import { admit, type Admission } from './admit';
import { outputOf, type Arrival } from './arrival';
import { tryAgain } from './dedupe';
import { forward } from './forward';
import { memoryOf } from './rememberEvent';
import {
	ignored,
	logProblem,
	respondEarly,
	responded,
	startAfterResponse,
	startWorkflow,
	type WebhookContext,
} from './webhookContext';

type Admitted = Arrival & Omit<Extract<Admission, { readonly verdict: 'new' }>, 'verdict'>;

/**
 * Starts the workflow once for the new events of one request. If the user chose that, the service gets each new inbound SMS,
 * even one that does not start the workflow. If an earlier request with one of the events is undecided, the sender repeats
 * the whole request.
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
		else if (admission.obstacle && !isToBeForwarded(webhook, arrival)) reasons.push(admission.obstacle);
		else admitted.push({ ...arrival, ...admission });
	}
	if (admitted.length === 0) return ignored(reasons[0] ?? 'no event');
	if (!admitted.some((arrival) => isToBeForwarded(webhook, arrival))) {
		const remembered = admitted.flatMap((arrival) => arrival.remembered ?? []);
		return startWorkflow(webhook, admitted.map(outputOf), remembered);
	}
	respondEarly(context);
	const outputs = await outputsAfterCalls(webhook, admitted);
	return outputs.length > 0 ? startAfterResponse(webhook, outputs) : responded;
}

async function outputsAfterCalls(webhook: WebhookContext, admitted: readonly Admitted[]): Promise<IDataObject[]> {
	const outputs: IDataObject[] = [];
	// One by one, because a STOP must not overtake a START of the same request.
	for (const arrival of admitted) {
		const output = isToBeForwarded(webhook, arrival) ? await forwarded(webhook, arrival) : outputOf(arrival);
		if (output) outputs.push(output);
	}
	return outputs;
}

/** @returns the output; undefined for a message that starts nothing, unless it could not be forwarded */
async function forwarded(
	{ context }: WebhookContext,
	{ item, details, memory, obstacle }: Admitted & Arrival<InboundItem>,
): Promise<IDataObject | undefined> {
	const failure = await forward(context, item);
	if (failure) {
		logProblem(context, `an inbound SMS could not be forwarded: ${failure.loggable}`);
		// A repeated STOP must not be dropped as a duplicate.
		if (item.keyword === 'stop') memory?.forget();
	}
	if (obstacle === undefined) {
		return {
			...item,
			forwarded: failure === undefined,
			...(failure && { forward_error: failure.problem }),
			...details,
		};
	}
	return (
		failure && {
			event: 'forward.failed',
			error: failure.problem,
			not_started: obstacle,
			payload: { ...item },
			...details,
		}
	);
}

function isToBeForwarded<One extends Arrival>(
	{ settings }: WebhookContext,
	arrival: One,
): arrival is One & Arrival<InboundItem> {
	return settings.forwardInboundSms && arrival.item.event === 'sms.inbound';
}
