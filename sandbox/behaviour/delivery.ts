import type { Store } from '../store/store';
import type { Transition } from '../store/messages';
import type { Clock } from './clock';

/** How long after its acceptance a message is on its way to the phone, in milliseconds. */
export const SENT_AFTER_MS = 300;

/** How long after its acceptance a message has reached the phone, or has failed to, in milliseconds. */
export const DELIVERED_AFTER_MS = 1000;

/** A number whose messages are accepted and sent, and then fail; it cannot be a live number. */
export const UNDELIVERABLE_NUMBER = '+233990000002';

/**
 * Says what will happen to a message and when (service.md, States and transitions).
 * @param to the recipient, which may be a magic number
 * @param acceptedAt milliseconds since 1970 UTC
 */
export function planDelivery(to: string, acceptedAt: number): readonly Transition[] {
	return [
		{ status: 'sent', dueAt: acceptedAt + SENT_AFTER_MS },
		{ status: to === UNDELIVERABLE_NUMBER ? 'failed' : 'delivered', dueAt: acceptedAt + DELIVERED_AFTER_MS },
	];
}

/** What moves messages on when their time comes. */
export interface Delivery {
	stop(): void;
}

/**
 * Starts moving messages on: at once those that are due already, the others when their time comes or the clock is
 * advanced. What is due stands in the store, so nothing is lost when the sandbox stops.
 */
export function startDelivery(store: Store, clock: Clock): Delivery {
	let timer: NodeJS.Timeout | undefined;

	function run(): void {
		store.messages.applyDue(clock.now());
		wait();
	}

	function wait(): void {
		clearTimeout(timer);
		const dueAt = store.messages.nextDueAt();
		if (dueAt === undefined || !clock.running) return;
		timer = setTimeout(run, Math.max(0, dueAt - clock.now()));
	}

	clock.onAdvance(run);
	const unsubscribe = store.changes.onTransitions(wait);
	run();
	return {
		stop: () => {
			clearTimeout(timer);
			unsubscribe();
		},
	};
}
