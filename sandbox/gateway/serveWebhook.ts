import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context } from 'hono';
import type { Faults, WebhookId } from '../simulation/faults';
import type { HonoEnv } from '../http/env';
import { applyFault } from '../http/applyFault';
import { failureReply, jsonReply, toResponse } from '../http/reply';
import type { Services } from '../services';

/** Services that the service's webhooks need. */
export interface WebhookServices extends Services {
	readonly faults: Faults;
}

/**
 * Responds to a request to one of the service's webhooks, or applies the pending fault.
 * @param handle does the work and returns the response body
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
