import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Agent } from 'undici';
import type { Faults, PostFault } from '../simulation/faults';
import { removeWebhookUrl, toPostResult, writeText } from '../callbacks/phoneText';
import { nextAttempt, GONE } from '../callbacks/retrySchedule';
import { postWebhook as send } from '../http/postWebhook';
import type { Services } from '../services';
import type { CallbackAttempt } from '../store/callbacks';
import { OVERTAKEN_BY_MS } from '../store/outbox';
import type { PhoneText, PhoneTextPost } from '../store/phoneTexts';
import { receiveText } from './receiveText';

/**
 * Simulated phones. A message from a phone goes to the service's webhook of its channel, or to the inbound URLs in the
 * settings.
 * Simulated phones never auto-reply.
 */
export interface Phones {
	/** The first URL that receives SMS of the phones. */
	inboundUrl(): string;
	/** Stores a message and starts to deliver it. @returns the stored message, before delivery */
	text(sender: string, recipient: string, text: string, channel?: PhoneText['channel']): PhoneText;
	/** Resolves when no webhook is in flight. */
	idle(): Promise<void>;
	/** Aborts webhooks in flight and waits until their results are stored. */
	stop(): Promise<void>;
}

/** URL of the service's own webhook for inbound messages. */
export function ownWebhook(url: string, channel: PhoneText['channel'] = 'sms'): string {
	return channel === 'sms' ? `${url}/webhooks/inbound/sms` : `${url}/webhooks/whatsapp/inbound`;
}

/** Creates the simulated phones. */
export function createPhones({ store, clock, url, faults }: Services & { readonly faults: Faults }): Phones {
	const agent = new Agent();
	const stopping = new AbortController();
	const inFlight = new Set<Promise<void>>();
	/** Releases messages that the next one overtakes. */
	let overtake = new AbortController();
	store.phoneTexts.abandon('the sandbox stopped before a response arrived');

	function inboundUrl(): string {
		return store.settings.read().inbound_url ?? ownWebhook(url);
	}

	function addresses(channel: PhoneText['channel']): string[] {
		if (channel !== 'sms') return [store.settings.read().whatsapp_inbound_url ?? ownWebhook(url, channel)];
		return [...new Set([inboundUrl(), ...store.settings.read().inbound_urls])];
	}

	async function post(text: PhoneText, { id, url: address }: PhoneTextPost, inForm: boolean): Promise<void> {
		const { inbound_format, inbound_status, allow_outside_urls } = store.settings.read();
		const posting = writeText(text, address, {
			format: inForm ? 'form' : inbound_format,
			withStatus: inbound_status,
		});
		const started_at = clock.now();
		const begun = performance.now();
		const response = await send(posting, { dispatcher: agent, outside: allow_outside_urls, stopping: stopping.signal });
		store.phoneTexts.finish(id, toPostResult(response));
		// The inbox already has messages sent to the service itself. Messages aborted by a stop are not retried.
		if (address === ownWebhook(url, text.channel) || stopping.signal.aborted || !store.phoneTexts.find(text.id)) return;
		keepAttempt(text, id, {
			url: address,
			content_type: posting.contentType,
			body: posting.body,
			http_status: response.httpStatus,
			answer: response.answer,
			problem: response.problem,
			started_at,
			duration: Math.round(performance.now() - begun),
		});
	}

	/** Stores the first attempt as a callback, so that the dispatcher retries it. */
	function keepAttempt(text: PhoneText, postId: number, attempt: Omit<CallbackAttempt, 'id' | 'callback_id'>): void {
		const { sender: from, recipient: to, text: message, channel } = text;
		const now = clock.now();
		store.transaction(() => {
			const callback_id = store.callbacks.add({
				event: channel === 'sms' ? 'sms.inbound' : 'whatsapp.inbound',
				fact: { from, to, message, text_id: text.id, at: text.created_at },
				message_id: null,
				text_post_id: postId,
				url: attempt.url,
				due_at: now,
				created_at: text.created_at,
			});
			const { http_status: httpStatus, problem } = attempt;
			store.callbacks.finish({ ...attempt, callback_id }, nextAttempt(0, { httpStatus, problem }, now));
			if (httpStatus === GONE) removeWebhookUrl(store.settings, attempt.url);
		});
		store.changes.due();
	}

	async function postAll(
		text: PhoneText,
		fault: PostFault | undefined,
		overtaken: AbortController | undefined,
	): Promise<void> {
		if (fault?.kind === 'post_late') await pause(fault.milliseconds, stopping.signal);
		if (fault?.kind === 'post_reordered') {
			await pause(OVERTAKEN_BY_MS, AbortSignal.any([stopping.signal, overtake.signal]));
		}
		await Promise.all(text.posts.map(async (one) => await post(text, one, fault?.kind === 'post_form')));
		overtaken?.abort();
	}

	return {
		inboundUrl,
		text: (sender, recipient, text, channel = 'sms') => {
			const fault = faults.takePost(channel === 'sms' ? 'sms.inbound' : 'whatsapp.inbound');
			if (fault) store.changes.emit('faults');
			const urls = addresses(channel);
			const copies = fault?.kind === 'post_copies' ? fault.copies : 1;
			const kept = store.phoneTexts.add({
				id: randomUUID(),
				channel,
				sender,
				recipient,
				text,
				urls: Array.from({ length: copies }, () => urls).flat(),
				created_at: clock.now(),
			});
			const toService = store.settings.read().inbound_to_service && !urls.includes(ownWebhook(url));
			if (channel === 'sms' && toService) {
				receiveText({ store, clock }, { from: sender, to: recipient, message: text, textId: kept.id });
			}
			// A message releases earlier ones that it overtakes, never itself.
			const held = fault?.kind === 'post_reordered';
			const overtaken = held ? undefined : overtake;
			if (!held) overtake = new AbortController();
			const posting = postAll(kept, fault, overtaken).finally(() => inFlight.delete(posting));
			inFlight.add(posting);
			return kept;
		},
		idle: async () => {
			while (inFlight.size > 0) await Promise.all(inFlight);
		},
		stop: async () => {
			stopping.abort();
			await Promise.all(inFlight);
			await agent.close();
		},
	};
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
	await wait(milliseconds, undefined, { signal }).catch(() => undefined);
}
