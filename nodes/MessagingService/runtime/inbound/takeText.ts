import type { IWebhookResponseData } from 'n8n-workflow';
import { isUndecided, tryAgain } from './acceptance';
import { answered, answerNow, logProblem, start, startAnswered, unstarted, type Arrival } from './arrival';
import { claim, release } from './claims';
import type { TextItem } from './eventItem';
import { passesFilters } from './filters';
import { fingerprint } from '../fingerprint';
import { passOn } from './passOn';
import { giveTurnBack, takeTurn } from './senderLimit';

/** How long a text is known by its message id, in milliseconds. */
const ID_KNOWN_MS = 24 * 3_600_000;

/** Starts the workflow for a text that is not known yet, and passes it on where that is chosen. */
export async function takeText(arrival: Arrival, item: TextItem): Promise<IWebhookResponseData> {
	const { context, settings, trigger, manual } = arrival;
	const { from, to, message, message_id } = item;
	const stopKey = fingerprint(trigger, item.event, from, to, 'stop');
	const known = fingerprint(trigger, item.event, from, to, message, message_id);
	const key = item.keyword === 'stop' && message_id === null ? stopKey : known;
	const knownMs = message_id === null ? settings.options.deduplicationWindowSeconds * 1000 : ID_KNOWN_MS;
	if (!manual && knownMs > 0 && isUndecided(key)) return tryAgain(context);
	if (!manual && !claim(key, knownMs)) return unstarted('duplicate');
	// A STOP after it is a new one; never the other way round, since a START that is posted again must undo nothing.
	if (item.keyword === 'start') release(stopKey);
	const wanted = passesFilters(item, settings.filters);
	const allowed = wanted && mayStart(arrival, item);
	const because = wanted ? 'too many from this sender' : 'filtered out';
	// STOP and all other texts reach the service whether or not the workflow starts.
	if (!settings.beforeStarting.includes('forwardInboundSms') || item.event !== 'sms.inbound') {
		if (!allowed) return unstarted(because);
		const forget = () => {
			release(key);
			giveTurnBack(turnOf(arrival, item));
		};
		return start(arrival, item, manual ? undefined : { key, forget });
	}
	answerNow(context);
	const passed = await passOn(context, item, settings.options.forwardUrl);
	const problem = 'problem' in passed ? passed.problem : undefined;
	if ('problem' in passed) {
		logProblem(context, `an inbound SMS could not be forwarded: ${passed.loggable}`);
		// Who texts STOP once more shall be heard.
		if (item.keyword === 'stop') release(key);
	}
	if (allowed) {
		return startAnswered(arrival, {
			...item,
			forwarded: problem === undefined,
			...(problem !== undefined && { forward_error: problem }),
		});
	}
	if (problem === undefined) return answered;
	return startAnswered(arrival, {
		event: 'forward.failed',
		error: problem,
		not_started: because,
		payload: { ...item },
	});
}

function mayStart(arrival: Arrival, item: TextItem): boolean {
	const { context, settings, manual } = arrival;
	if (manual) return true;
	const perHour = settings.options.maxStartsPerSenderPerHour;
	const { allowed, firstRefusal } = takeTurn(turnOf(arrival, item), perHour);
	if (firstRefusal) {
		logProblem(context, `one sender started the workflow ${perHour} times within an hour; its texts now start nothing`);
	}
	return allowed;
}

/** STOP has a count of its own, so that a sender whose texts were too many can still opt out. */
function turnOf({ trigger }: Arrival, { from, keyword }: TextItem): string {
	return keyword === 'stop' ? fingerprint(trigger, from, 'stop') : fingerprint(trigger, from);
}
