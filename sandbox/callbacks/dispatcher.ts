import { Agent } from 'undici';
import type { Faults } from '../simulation/faults';
import type { DueSource } from '../simulation/scheduler';
import { postWebhook, type Posting, writeBody } from '../http/postWebhook';
import type { Services } from '../services';
import type { Callback } from '../store/callbacks';
import { OVERTAKEN_BY_MS } from '../store/outbox';
import { nextAttempt, GONE } from './retrySchedule';
import { callbackPayload } from './payload';
import { removeWebhookUrl, toPostResult, writeText } from './phoneText';

/** Maximum webhooks in flight. */
const MAX_IN_FLIGHT = 16;

/**
 * Delivers callbacks (docs/api.md#callback-url), and retries phone messages that an inbound URL did not accept. Each is
 * retried until a 2xx, a 410 or the last attempt.
 */
export interface CallbackDispatcher extends DueSource {
	/** Resolves when no webhook is in flight. */
	idle(): Promise<void>;
	/** Aborts webhooks in flight. The next start sends them again. */
	stop(): Promise<void>;
}

/** Creates the dispatcher. */
export function createDispatcher({ store, clock, faults }: Services & { readonly faults: Faults }): CallbackDispatcher {
	const { callbacks, messages, phoneTexts, settings, changes } = store;
	const agent = new Agent();
	const stopping = new AbortController();
	const inFlight = new Map<number, Promise<void>>();
	/** Callbacks that a fault delayed or copied. No further fault applies to them. */
	const late = new Set<number>();

	function ids(): ReadonlySet<number> {
		return new Set(inFlight.keys());
	}

	/** Delivers a callback, or applies the pending fault to it. */
	async function start(callback: Callback, now: number): Promise<void> {
		const first = callback.attempts === 0 && !late.delete(callback.id);
		const fault = first ? faults.takePost(callback.event) : undefined;
		if (fault) changes.emit('faults');
		switch (fault?.kind) {
			case 'post_copies':
				for (let copy = 1; copy < fault.copies; copy += 1) late.add(callbacks.add({ ...callback, due_at: now }));
				break;
			case 'post_late':
			case 'post_reordered':
				late.add(callback.id);
				callbacks.postpone(callback.id, now + (fault.kind === 'post_late' ? fault.milliseconds : OVERTAKEN_BY_MS));
				return;
		}
		await deliver(callback, fault?.kind === 'post_form');
	}

	function write(callback: Callback, inForm: boolean): Posting {
		const { callback_format, callback_shape, inbound_format, inbound_status } = settings.read();
		const { event, fact, url } = callback;
		if (event === 'sms.inbound' || event === 'whatsapp.inbound') {
			const text = {
				id: String(fact.text_id),
				channel: event === 'sms.inbound' ? 'sms' : 'whatsapp',
				sender: String(fact.from),
				recipient: String(fact.to),
				text: String(fact.message),
			} as const;
			return writeText(text, url, {
				format: inForm ? 'form' : inbound_format,
				withStatus: inbound_status,
			});
		}
		const about = callback_shape === 'whole_message' ? callback.message_id : null;
		const message = about === null ? undefined : messages.find(about);
		const payload = callbackPayload(callback, callback_shape, message);
		return { url, ...writeBody(payload, inForm ? 'form' : callback_format) };
	}

	async function deliver(callback: Callback, inForm: boolean): Promise<void> {
		const posting = write(callback, inForm);
		const started = clock.now();
		const begun = performance.now();
		const answered = await postWebhook(posting, {
			dispatcher: agent,
			outside: settings.read().allow_outside_urls,
			stopping: stopping.signal,
		});
		const { httpStatus, answer, problem } = answered;
		if (stopping.signal.aborted) return;
		callbacks.finish(
			{
				callback_id: callback.id,
				url: posting.url,
				content_type: posting.contentType,
				body: posting.body,
				http_status: httpStatus,
				answer,
				problem,
				started_at: started,
				duration: Math.round(performance.now() - begun),
			},
			nextAttempt(callback.attempts, answered, clock.now()),
		);
		if (callback.text_post_id !== null) phoneTexts.finish(callback.text_post_id, toPostResult(answered));
		if (httpStatus !== GONE) return;
		// The receiver is gone, so remove its URL.
		if (callback.text_post_id !== null) removeWebhookUrl(settings, callback.url);
		else if (settings.read().callback_url === callback.url) settings.change({ callback_url: null });
	}

	return {
		nextDueAt: () => (inFlight.size < MAX_IN_FLIGHT ? callbacks.nextDueAt(ids()) : undefined),
		workOn: (now) => {
			const free = MAX_IN_FLIGHT - inFlight.size;
			// Asking for the next due time takes a tenth of the time, and mostly nothing is due.
			if (free <= 0 || (callbacks.nextDueAt(ids()) ?? Infinity) > now) return false;
			const due = callbacks.due(now, free, ids());
			for (const callback of due) {
				const delivery = start(callback, now).finally(() => {
					inFlight.delete(callback.id);
					changes.due();
				});
				inFlight.set(callback.id, delivery);
			}
			return due.length > 0;
		},
		idle: async () => {
			while (inFlight.size > 0) await Promise.all(inFlight.values());
		},
		stop: async () => {
			stopping.abort();
			await Promise.all(inFlight.values());
			await agent.close();
		},
	};
}
