import { EventEmitter } from 'node:events';

/** A part of the relay that the page shows. */
export type Topic = 'events' | 'deliveries' | 'subscriptions' | 'tokens' | 'sends';

/** Announces changes within this process. */
export interface Changes {
	announce(topic: Topic): void;
	/** @returns ends it */
	listen(listener: (topic: Topic) => void): () => void;
	/** How many changes were announced. */
	count(): number;
}

/** Creates the announcements of one relay. */
export function createChanges(): Changes {
	const emitter = new EventEmitter<{ change: [Topic] }>().setMaxListeners(0);
	let count = 0;
	return {
		announce(topic) {
			count += 1;
			emitter.emit('change', topic);
		},
		listen(listener) {
			emitter.on('change', listener);
			return () => emitter.off('change', listener);
		},
		count: () => count,
	};
}
