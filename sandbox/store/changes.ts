import { EventEmitter } from 'node:events';
import type { MovingMessage } from './messageRows';

/** Parts of the sandbox that can change. The event stream of the control routes uses these names. */
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
 * `phone`: the thread of that number changed, or of every number. `due`: there is new work. `delivered`: a message was
 * delivered. `change`: the kinds that changed.
 */
interface ChangeEvents {
	phone: [number: string | undefined];
	due: [];
	delivered: [message: MovingMessage];
	change: [kinds: readonly ChangeKind[]];
}

/** Change events of the store, emitted after the change. The store does not know its listeners. */
export interface Changes {
	/** Calls the listener when the thread of that number changes. @returns a function that stops it */
	onPhone(number: string, listener: () => void): () => void;
	/** Calls the listener when there is new work. @returns a function that stops it */
	onDue(listener: () => void): () => void;
	/** Calls the listener when a message is delivered. @returns a function that stops it */
	onDelivered(listener: (message: MovingMessage) => void): () => void;
	/** Calls the listener with the kinds that changed. @returns a function that stops it */
	onChange(listener: (kinds: readonly ChangeKind[]) => void): () => void;
	/** Reports a change in the thread of a number, or of every number if omitted. */
	phone(number?: string): void;
	/** Reports new work: a status change, a callback or a batch. */
	due(): void;
	/** Reports a delivered message. */
	delivered(message: MovingMessage): void;
	/** Reports the kinds that changed. */
	emit(...kinds: ChangeKind[]): void;
}

/** Creates the change events of one store. */
export function createChanges(): Changes {
	const emitter = new EventEmitter<ChangeEvents>();
	// Every open page is a listener, so many listeners are no leak.
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
