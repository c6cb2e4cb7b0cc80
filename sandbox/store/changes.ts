import { EventEmitter } from 'node:events';
import type { MovingMessage } from './messageRows';

/** What of the sandbox may change; the event stream of the control routes names these. */
export const changeKinds = [
	'messages',
	'wallet',
	'packages',
	'batches',
	'top_ups',
	'sender_ids',
	'contacts',
	'inbox',
	'opt_outs',
	'phones',
	'keys',
	'callbacks',
	'requests',
	'faults',
	'clock',
	'settings',
] as const;

/** One of {@link changeKinds}. */
export type ChangeKind = (typeof changeKinds)[number];

/**
 * `phone`: the thread of that number changed, or of every number; `due`: new work lies ahead; `delivered`: a message
 * has arrived; `change`: what changed.
 */
interface ChangeEvents {
	phone: [number: string | undefined];
	due: [];
	delivered: [message: MovingMessage];
	change: [kinds: readonly ChangeKind[]];
}

/** Where the store tells what has changed, after the change is kept; the store knows none of its listeners. */
export interface Changes {
	/** Calls the listener whenever the thread of that phone number has changed. @returns a function that ends it */
	onPhone(number: string, listener: () => void): () => void;
	/** Calls the listener when new work lies ahead. @returns a function that ends it */
	onDue(listener: () => void): () => void;
	/** Calls the listener when a message has arrived. @returns a function that ends it */
	onDelivered(listener: (message: MovingMessage) => void): () => void;
	/** Calls the listener with the kinds of what has changed. @returns a function that ends it */
	onChange(listener: (kinds: readonly ChangeKind[]) => void): () => void;
	/** Tells that the thread of a number has changed, or of every number where none is given. */
	phone(number?: string): void;
	/** Tells that new work lies ahead: a status change, a callback, a batch to work off. */
	due(): void;
	/** Tells that a message has arrived. */
	delivered(message: MovingMessage): void;
	/** Tells what has changed. */
	emit(...kinds: ChangeKind[]): void;
}

/** Makes the change feed of one store. */
export function createChanges(): Changes {
	const emitter = new EventEmitter<ChangeEvents>();
	// Every open page listens, so there is no number of listeners that would be a leak.
	emitter.setMaxListeners(0);
	return {
		onPhone: (number, listener) => {
			const heard = (changed: string | undefined) => {
				if (changed === undefined || changed === number) listener();
			};
			emitter.on('phone', heard);
			return () => void emitter.off('phone', heard);
		},
		onDue: (listener) => {
			emitter.on('due', listener);
			return () => void emitter.off('due', listener);
		},
		onDelivered: (listener) => {
			emitter.on('delivered', listener);
			return () => void emitter.off('delivered', listener);
		},
		onChange: (listener) => {
			emitter.on('change', listener);
			return () => void emitter.off('change', listener);
		},
		phone: (number) => {
			emitter.emit('phone', number);
			emitter.emit('change', ['phones']);
		},
		due: () => void emitter.emit('due'),
		delivered: (message) => void emitter.emit('delivered', message),
		emit: (...kinds) => void emitter.emit('change', kinds),
	};
}
