import { Agent } from 'undici';
import type { Faults } from '../behaviour/faults';
import { OVERTAKEN_BY_MS } from '../behaviour/receipts';
import type { WorkSource } from '../behaviour/work';
import { post, writeBody } from '../outgoing/post';
import type { Services } from '../services';
import type { Callback, CallbackFate } from '../store/callbacks';
import { callbackPayload } from './payload';

/** How long after each failed attempt the next one follows, in milliseconds of the sandbox's clock. */
export const RETRY_AFTER_MS: readonly number[] = [5_000, 30_000, 120_000, 600_000, 3_600_000];

/** How many callbacks are posted at the same time. */
const AT_ONCE = 16;

/** Posts the account's callbacks (service.md, Events 2): each until a 2xx, a 410 or the last attempt. */
export interface Courier extends WorkSource {
	/** Resolves when nothing is being posted. */
	idle(): Promise<void>;
	/** Gives up what is being posted: it is posted again at the next start. */
	stop(): Promise<void>;
}

/** Makes the courier. */
export function createCourier({ store, clock, faults }: Services & { readonly faults: Faults }): Courier {
	const { callbacks, settings, changes } = store;
	const agent = new Agent();
	const stopping = new AbortController();
	const underWay = new Map<number, Promise<void>>();
	/** Those that a fault has made late or has copied: none meets them again. */
	const late = new Set<number>();

	function ids(): ReadonlySet<number> {
		return new Set(underWay.keys());
	}

	/** Posts a callback, or lets the fault happen that waits for it. */
	async function start(callback: Callback, now: number): Promise<void> {
		const first = callback.attempts === 0 && !late.delete(callback.id);
		const fault = first ? faults.takePost(callback.event) : undefined;
		if (fault) changes.tell('faults');
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

	async function deliver(callback: Callback, inForm: boolean): Promise<void> {
		const { callback_format, callback_shape, allow_outside_urls } = settings.read();
		const fields = callbackPayload(callback, callback_shape);
		const posting = { url: callback.url, ...writeBody(fields, inForm ? 'form' : callback_format) };
		const started = clock.now();
		const begun = performance.now();
		const { httpStatus, answer, problem } = await post(posting, {
			dispatcher: agent,
			outside: allow_outside_urls,
			stopping: stopping.signal,
		});
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
			fate(callback, httpStatus, problem),
		);
		// The receiver says that it is gone for good: nothing more is posted there.
		if (httpStatus === 410 && settings.read().callback_url === callback.url) settings.change({ callback_url: null });
	}

	function fate({ attempts }: Callback, httpStatus: number | null, problem: string | null): CallbackFate {
		if (problem === null) return { status: 'delivered' };
		const wait = httpStatus === 410 ? undefined : RETRY_AFTER_MS[attempts];
		return wait === undefined ? { status: 'given_up' } : { status: 'waiting', dueAt: clock.now() + wait };
	}

	return {
		nextDueAt: () => (underWay.size < AT_ONCE ? callbacks.nextDueAt(ids()) : undefined),
		workOn: (now) => {
			const free = AT_ONCE - underWay.size;
			// Looking when the next is due takes a tenth of the time, and mostly none is.
			if (free <= 0 || (callbacks.nextDueAt(ids()) ?? Infinity) > now) return false;
			const due = callbacks.due(now, free, ids());
			for (const callback of due) {
				const delivery = start(callback, now).finally(() => {
					underWay.delete(callback.id);
					changes.due();
				});
				underWay.set(callback.id, delivery);
			}
			return due.length > 0;
		},
		idle: async () => {
			while (underWay.size > 0) await Promise.all(underWay.values());
		},
		stop: async () => {
			stopping.abort();
			await Promise.all(underWay.values());
			await agent.close();
		},
	};
}
