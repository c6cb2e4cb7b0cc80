import { forwardInbound, parseEventItem, plainStop, type Transport } from '../../shared/index';
import { undiciDispatcher } from '../../shared/transports/undici';
import type { AttemptResult } from '../delivery/attempt';
import type { DueRow } from '../delivery/deliver';
import type { ActiveReceiver } from '../delivery/receivers';

/**
 * Forwards an inbound SMS to the service's own webhook, so that its inbox and opt-out list stay complete. After
 * an opt-out in other words, such as EXIT or "Stop!", it also forwards STOP. It is unknown which words the service reads.
 */
export async function forwardToService(
	transport: Transport,
	{ url }: ActiveReceiver,
	{ data }: DueRow,
): Promise<AttemptResult> {
	const began = performance.now();
	const result = (ok: boolean, status: number | null, error: string | null): AttemptResult => ({
		ok,
		status,
		error,
		ms: Math.round(performance.now() - began),
	});
	const item = parseEventItem(data);
	if (item?.event !== 'sms.inbound') return result(true, null, null);
	const { from, to, message } = item;
	const plain = plainStop(item);
	for (const words of plain === undefined ? [message] : [message, plain]) {
		const outcome = await forwardInbound(transport, url, { from, to: to ?? '', message: words });
		if (outcome.outcome !== 'accepted') {
			const { status, code } = outcome.error;
			return result(false, status ?? null, `The service did not accept the message (${code})`);
		}
	}
	return result(true, 200, null);
}

/**
 * Sends events unchanged, as they arrived: to the callback URL that was in the dashboard before, or to the service.
 * @param limitMs how long such a URL may take, in milliseconds
 */
export function createCallback(limitMs: number): {
	send: (receiver: ActiveReceiver, row: DueRow) => Promise<AttemptResult>;
	close: () => Promise<void>;
} {
	const dispatcher = undiciDispatcher();
	return {
		async send({ url }, { body, content_type }) {
			const began = performance.now();
			const ms = () => Math.round(performance.now() - began);
			const { origin, pathname, search } = new URL(url);
			try {
				const response = await dispatcher.request({
					origin,
					path: `${pathname}${search}`,
					method: 'POST',
					headers: { 'content-type': content_type ?? 'application/octet-stream' },
					body: Buffer.from(body),
					signal: AbortSignal.timeout(limitMs),
				});
				await response.body.dump();
				const ok = response.statusCode >= 200 && response.statusCode < 300;
				const error = ok ? null : `The URL responded ${response.statusCode}`;
				return { ok, status: response.statusCode, error, ms: ms() };
			} catch {
				return { ok: false, status: null, error: 'The URL did not respond', ms: ms() };
			}
		},
		close: async () => await dispatcher.close(),
	};
}
