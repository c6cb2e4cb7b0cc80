import { passesFilters, type InboundItem } from '../../../../shared/index';
import { fingerprint } from '../../memory/fingerprint';
import type { Arrival } from './arrival';
import type { RememberedEvent } from './dedupe';
import { memoryOf, type EventMemory } from './rememberEvent';
import { logProblem, type WebhookContext } from './webhookContext';
import { BoundedMap } from '../../memory/boundedMap';

/** Whether an event may start the workflow. */
export type Admission =
	| { readonly verdict: 'undecided' | 'duplicate' | 'late' }
	| {
			readonly verdict: 'new';
			/** Why it starts nothing all the same. */
			readonly obstacle?: 'filtered out' | 'too many from this sender';
			/** Undefined if the event is not remembered. */
			readonly memory: EventMemory | undefined;
			/** Undoes the admission if n8n does not accept the event. Undefined if nothing is remembered. */
			readonly remembered?: RememberedEvent;
	  };

/** Remembers an event, and decides whether it may start the workflow. */
export function admit(webhook: WebhookContext, arrival: Arrival): Admission {
	const memory = memoryOf(webhook, arrival);
	if (memory?.isUndecided()) return { verdict: 'undecided' };
	const verdict = memory?.add() ?? 'new';
	if (verdict !== 'new') return { verdict };
	const { item } = arrival;
	const isMessage = item.event === 'sms.inbound' || item.event === 'whatsapp.inbound';
	const isWanted = item.event === 'unrecognized' || passesFilters(item, webhook.settings.filters);
	if (!isWanted) return { verdict, obstacle: 'filtered out', memory };
	if (isMessage && !mayStart(webhook, item)) return { verdict, obstacle: 'too many from this sender', memory };
	if (!memory) return { verdict, memory };
	const forget = () => {
		memory.forget();
		if (isMessage) undoStart(rateLimitKey(webhook, item));
	};
	return { verdict, memory, remembered: { key: memory.key, forget } };
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

const HOUR_MS = 3_600_000;

/** The start times of the last 10,000 senders, newest last. */
const starts = new BoundedMap<readonly number[]>({ maxSize: 10_000 });

/** Whether a sender may start the workflow. */
interface SenderStart {
	readonly allowed: boolean;
	/** Whether this is the first rejection after an allowed start, so that it is logged once. */
	readonly firstRejection: boolean;
}

/**
 * Counts a start of the workflow by a sender, if it is allowed.
 * @param key identifies the trigger and the sender
 * @param perHour maximum number of starts in any 60 minutes; 0 = no limit
 */
function countStart(key: string, perHour: number): SenderStart {
	if (perHour <= 0) return { allowed: true, firstRejection: false };
	const now = Date.now();
	const reported = `${key} reported`;
	const recent = (starts.get(key) ?? []).filter((at) => at > now - HOUR_MS);
	if (recent.length >= perHour) {
		const firstRejection = starts.get(reported) === undefined;
		starts.set(reported, [], HOUR_MS);
		return { allowed: false, firstRejection };
	}
	starts.delete(reported);
	starts.set(key, [...recent, now], HOUR_MS);
	return { allowed: true, firstRejection: false };
}

/**
 * Removes the latest start of a sender, for an event that n8n did not accept.
 * @param key the same key as for {@link countStart}
 */
function undoStart(key: string): void {
	const recent = starts.get(key);
	if (recent !== undefined) starts.set(key, recent.slice(0, -1), HOUR_MS);
}
