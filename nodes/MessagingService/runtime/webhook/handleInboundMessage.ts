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

/** How long a text is known by its message id, in milliseconds. */
const ID_KNOWN_MS = 24 * 3_600_000;

/** Starts the workflow for a text that is not known yet, and passes it on where that is chosen. */
export async function handleInboundMessage(webhook: WebhookContext, item: InboundItem): Promise<IWebhookResponseData> {
	const { context, settings, trigger, manual } = webhook;
	const { from, to, message, message_id } = item;
	const stopKey = fingerprint(trigger, item.event, from, to, 'stop');
	const known = fingerprint(trigger, item.event, from, to, message, message_id);
	const key = item.keyword === 'stop' && message_id === null ? stopKey : known;
	const knownMs = message_id === null ? settings.options.deduplicationWindowSeconds * 1000 : ID_KNOWN_MS;
	if (!manual && knownMs > 0 && isUndecided(key)) return tryAgain(context);
	if (!manual && !markSeen(key, knownMs)) return ignored('duplicate');
	// A STOP after it is a new one; never the other way round, since a START that is posted again must undo nothing.
	if (item.keyword === 'start') unmarkSeen(stopKey);
	const wanted = passesFilters(item, settings.filters);
	const allowed = wanted && mayStart(webhook, item);
	const because = wanted ? 'too many from this sender' : 'filtered out';
	// STOP and all other texts reach the service whether or not the workflow starts.
	if (!settings.beforeStarting.includes('forwardInboundSms') || item.event !== 'sms.inbound') {
		if (!allowed) return ignored(because);
		const forget = () => {
			unmarkSeen(key);
			undoStart(turnOf(webhook, item));
		};
		return startWorkflow(webhook, item, manual ? undefined : { key, forget });
	}
	respondEarly(context);
	const passed = await forward(context, item, settings.options.forwardUrl);
	const problem = 'problem' in passed ? passed.problem : undefined;
	if ('problem' in passed) {
		logProblem(context, `an inbound SMS could not be forwarded: ${passed.loggable}`);
		// Who texts STOP once more shall be heard.
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
		not_started: because,
		payload: { ...item },
	});
}

function mayStart(webhook: WebhookContext, item: InboundItem): boolean {
	const { context, settings, manual } = webhook;
	if (manual) return true;
	const perHour = settings.options.maxStartsPerSenderPerHour;
	const { allowed, firstRefusal } = countStart(turnOf(webhook, item), perHour);
	if (firstRefusal) {
		logProblem(context, `one sender started the workflow ${perHour} times within an hour; its texts now start nothing`);
	}
	return allowed;
}

/** STOP has a count of its own, so that a sender whose texts were too many can still opt out. */
function turnOf({ trigger }: WebhookContext, { from, keyword }: InboundItem): string {
	return keyword === 'stop' ? fingerprint(trigger, from, 'stop') : fingerprint(trigger, from);
}
