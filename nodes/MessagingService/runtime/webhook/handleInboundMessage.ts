import type { IWebhookResponseData } from 'n8n-workflow';
import { isUndecided, tryAgain } from './acceptance';
import {
	responded,
	respondEarly,
	logProblem,
	startWorkflow,
	startAfterResponse,
	ignored,
	type WebhookContext,
} from './webhookContext';
import { markSeen, unmarkSeen } from './dedupe';
import type { InboundItem } from './eventItem';
import { passesFilters } from './filters';
import { fingerprint } from '../fingerprint';
import { forward } from './forward';
import { undoStart, countStart } from './senderRateLimit';

/** How long messages with an ID are deduplicated, in milliseconds. */
const ID_KNOWN_MS = 24 * 3_600_000;

/** Starts the workflow for a new inbound message, and forwards it if the user chose that. */
export async function handleInboundMessage(webhook: WebhookContext, item: InboundItem): Promise<IWebhookResponseData> {
	const { context, settings, trigger, manual } = webhook;
	const { from, to, message, message_id } = item;
	const stopKey = fingerprint(trigger, item.event, from, to, 'stop');
	const known = fingerprint(trigger, item.event, from, to, message, message_id);
	const key = item.keyword === 'stop' && message_id === null ? stopKey : known;
	const knownMs = message_id === null ? settings.options.deduplicationWindowSeconds * 1000 : ID_KNOWN_MS;
	if (!manual && knownMs > 0 && isUndecided(key)) return tryAgain(context);
	if (!manual && !markSeen(key, knownMs)) return ignored('duplicate');
	// A STOP after a START is new. A START after a STOP may be a duplicate, and must not undo the STOP.
	if (item.keyword === 'start') unmarkSeen(stopKey);
	const wanted = passesFilters(item, settings.filters);
	const allowed = wanted && mayStart(webhook, item);
	const reason = wanted ? 'too many from this sender' : 'filtered out';
	// Messages are forwarded even if the workflow does not start.
	if (!settings.beforeStarting.includes('forwardInboundSms') || item.event !== 'sms.inbound') {
		if (!allowed) return ignored(reason);
		const forget = () => {
			unmarkSeen(key);
			undoStart(rateLimitKey(webhook, item));
		};
		return startWorkflow(webhook, item, manual ? undefined : { key, forget });
	}
	respondEarly(context);
	const forwarding = await forward(context, item, settings.options.forwardUrl);
	const problem = 'problem' in forwarding ? forwarding.problem : undefined;
	if ('problem' in forwarding) {
		logProblem(context, `an inbound SMS could not be forwarded: ${forwarding.loggable}`);
		// A repeated STOP must not be dropped as a duplicate.
		if (item.keyword === 'stop') unmarkSeen(key);
	}
	if (allowed) {
		return startAfterResponse(webhook, {
			...item,
			forwarded: problem === undefined,
			...(problem !== undefined && { forward_error: problem }),
		});
	}
	if (problem === undefined) return responded;
	return startAfterResponse(webhook, {
		event: 'forward.failed',
		error: problem,
		not_started: reason,
		payload: { ...item },
	});
}

function mayStart(webhook: WebhookContext, item: InboundItem): boolean {
	const { context, settings, manual } = webhook;
	if (manual) return true;
	const perHour = settings.options.maxStartsPerSenderPerHour;
	const { allowed, firstRejection } = countStart(rateLimitKey(webhook, item), perHour);
	if (firstRejection) {
		logProblem(
			context,
			`one sender started the workflow ${perHour} times within an hour. Further messages from it start nothing for now`,
		);
	}
	return allowed;
}

/** STOP has its own count, so that a sender above the limit can still opt out. */
function rateLimitKey({ trigger }: WebhookContext, { from, keyword }: InboundItem): string {
	return keyword === 'stop' ? fingerprint(trigger, from, 'stop') : fingerprint(trigger, from);
}
