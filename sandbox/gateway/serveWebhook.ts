import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context } from 'hono';
import type { Faults, WebhookId } from '../simulation/faults';
import type { HonoEnv } from '../http/env';
import { applyFault } from '../http/applyFault';
import { failureReply, jsonReply, toResponse } from '../http/reply';
import type { Services } from '../services';

/** What the service's webhooks need. */
export interface WebhookServices extends Services {
	readonly faults: Faults;
}

/**
 * Answers what is posted to a webhook of the service; a fault steps in where one waits for it.
 * @param handle does what is to be done and gives the answer
 */
export async function serveWebhook(
	c: Context<HonoEnv>,
	{ faults, store, stopping }: WebhookServices,
	id: WebhookId,
	handle: () => Promise<unknown>,
): Promise<Response> {
	const reply = async () => {
		try {
			return jsonReply(200, await handle());
		} catch (error) {
			return failureReply(error);
		}
	};
	const fault = faults.take(id);
	if (!fault) return toResponse(await reply());
	store.changes.emit('faults');
	const played = await applyFault(fault, c.env.outgoing, reply, stopping);
	return played ? toResponse(played) : RESPONSE_ALREADY_SENT;
}
