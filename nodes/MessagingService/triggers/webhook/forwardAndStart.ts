import type { IWebhookResponseData } from 'n8n-workflow';
import type { InboundItem } from '../../../../shared/index';
import { admit } from './admit';
import type { Arrival } from './arrival';
import { tryAgain } from './dedupe';
import { forward } from './forward';
import {
	ignored,
	logProblem,
	respondEarly,
	responded,
	startAfterResponse,
	type WebhookContext,
} from './webhookContext';

/** Forwards a new inbound SMS to the service, even if it does not start the workflow, and starts it then. */
export async function forwardAndStart(
	webhook: WebhookContext,
	{ item, details }: Arrival<InboundItem>,
): Promise<IWebhookResponseData> {
	const { context, settings } = webhook;
	const admission = admit(webhook, { item, details });
	if (admission.verdict === 'undecided') return tryAgain(context);
	if (admission.verdict !== 'new') return ignored(admission.verdict);
	respondEarly(context);
	const failure = await forward(context, item, settings.options.forwardUrl);
	if (failure) {
		logProblem(context, `an inbound SMS could not be forwarded: ${failure.loggable}`);
		// A repeated STOP must not be dropped as a duplicate.
		if (item.keyword === 'stop') admission.memory?.forget();
	}
	const { obstacle } = admission;
	if (obstacle === undefined) {
		const forwarded = { forwarded: failure === undefined, ...(failure && { forward_error: failure.problem }) };
		return startAfterResponse(webhook, [{ ...item, ...forwarded, ...details }]);
	}
	if (!failure) return responded;
	return startAfterResponse(webhook, [
		{ event: 'forward.failed', error: failure.problem, not_started: obstacle, payload: { ...item }, ...details },
	]);
}
