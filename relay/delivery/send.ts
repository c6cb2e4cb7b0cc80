import type { Transport } from '../../shared/index';
import { createCallback, forwardToService } from '../forward/forward';
import type { UrlPolicy } from '../subscriptions/urlPolicy';
import { createAttempts } from './attempt';
import { eventsOf, type Send } from './deliver';

/**
 * Creates the function that sends due events to any kind of receiver.
 * @param transport for the service
 * @returns the function, and one that closes all connections
 */
export function createSend(
	policy: UrlPolicy,
	transport: Transport,
	limitMs: number,
): { send: Send; close: () => Promise<void> } {
	const webhooks = createAttempts(policy, limitMs);
	const callback = createCallback(limitMs);
	return {
		async send(receiver, rows) {
			const [first] = rows;
			if (first === undefined) return { ok: true, status: null, error: null, ms: 0 };
			if (receiver.kind === 'service') return await forwardToService(transport, receiver, first);
			if (receiver.kind === 'callback') return await callback.send(receiver, first);
			const replays = Math.max(...rows.map((row) => row.replays));
			return await webhooks.attempt(receiver, eventsOf(rows), { isBatch: receiver.batch !== null, replays });
		},
		async close() {
			await webhooks.close();
			await callback.close();
		},
	};
}
