import { EventEmitter } from 'node:events';

/** `phone`: the thread of that number changed, or of every number; `transitions`: new status changes lie ahead. */
interface ChangeEvents {
	phone: [number: string | undefined];
	transitions: [];
}

/** Where the store tells what has changed, after the change is kept; the store knows none of its listeners. */
export interface Changes {
	/** Calls the listener whenever the thread of that phone number has changed. @returns a function that ends it */
	onPhone(number: string, listener: () => void): () => void;
	/** Calls the listener when new status changes lie ahead. @returns a function that ends it */
	onTransitions(listener: () => void): () => void;
	/** Tells that the thread of a number has changed, or of every number where none is given. */
	phone(number?: string): void;
	/** Tells that new status changes lie ahead. */
	transitions(): void;
}

/** Makes the change feed of one store. */
export function createChanges(): Changes {
	const emitter = new EventEmitter<ChangeEvents>();
	// Every open phone page listens, so there is no number of listeners that would be a leak.
	emitter.setMaxListeners(0);
	return {
		onPhone: (number, listener) => {
			const heard = (changed: string | undefined) => {
				if (changed === undefined || changed === number) listener();
			};
			emitter.on('phone', heard);
			return () => void emitter.off('phone', heard);
		},
		onTransitions: (listener) => {
			emitter.on('transitions', listener);
			return () => void emitter.off('transitions', listener);
		},
		phone: (number) => void emitter.emit('phone', number),
		transitions: () => void emitter.emit('transitions'),
	};
}
