import { Hono, type Context } from 'hono';
import { withDeliveryCounts } from '../events/deliveryCounts';
import { eraseNumber, listEvents, readEvent, replay } from '../events/log';
import { replayFailed } from '../events/replayFailed';
import { eraseRecipient } from '../sends/erase';
import { createSendRoutes } from '../sends/sendRoutes';
import { RELAY_VERSION } from '../version';
import { newSubscriptionSchema, subscriptionChangesSchema } from '../subscriptions/schema';
import { authenticate, requireAdmin } from './authenticate';
import type { HonoEnv } from './env';
import { HttpError } from './httpError';
import { parseInput, readJson } from './reply';
import {
	eventQuerySchema,
	newTokenSchema,
	numberQuerySchema,
	referenceQuerySchema,
	replaySchema,
	statusQuerySchema,
	type Erased,
} from './schemas';
import { lastEventAt, readStatus } from './status';
import { streamChanges } from './stream';

const UNKNOWN_PATH = 'This path does not exist. The API is described in /openapi.json.';

/** The API below `/v1`. */
export function createApi(): Hono<HonoEnv> {
	const app = new Hono<HonoEnv>();
	app.use(async (c, next) => {
		await next();
		// Responses may have secrets and messages.
		c.header('cache-control', 'no-store');
		// Shows clients that this is a relay, before they rely on it.
		c.header('relay-version', RELAY_VERSION);
	});
	app.use(authenticate);
	app.use(async (c, next) => {
		// PostgreSQL rejects this character, and no ID has it.
		if (/\0|%00/.test(c.req.path)) throw new HttpError(404, 'not_found', UNKNOWN_PATH);
		await next();
	});

	app.get('/me', async (c) => {
		const { services } = await c.var.relay();
		return c.json({
			token: c.var.caller,
			relay: { version: RELAY_VERSION },
			service_url: services.settings.serviceUrl === '' ? null : services.settings.serviceUrl,
			last_event_at: await lastEventAt(services),
		});
	});

	app.get('/subscriptions', async (c) => {
		const { reference } = parseInput(referenceQuerySchema, c.req.query());
		return c.json({ data: await (await c.var.relay()).subscriptions.list(c.var.caller, reference) });
	});
	app.post('/subscriptions', async (c) => {
		const input = await readJson(c, newSubscriptionSchema);
		const { subscription, isNew } = await (await c.var.relay()).subscriptions.create(c.var.caller, input);
		return c.json(subscription, isNew ? 201 : 200);
	});
	app.get('/subscriptions/:id', async (c) =>
		c.json(await (await c.var.relay()).subscriptions.get(c.var.caller, c.req.param('id'))),
	);
	app.patch('/subscriptions/:id', async (c) => {
		const changes = await readJson(c, subscriptionChangesSchema);
		return c.json(await (await c.var.relay()).subscriptions.change(c.var.caller, c.req.param('id'), changes));
	});
	app.delete('/subscriptions/:id', async (c) => {
		await (await c.var.relay()).subscriptions.remove(c.var.caller, c.req.param('id'));
		return c.body(null, 204);
	});
	app.post('/subscriptions/:id/test', async (c) => {
		const relay = await c.var.relay();
		const { id: only } = await relay.subscriptions.get(c.var.caller, c.req.param('id'));
		const data = { event: 'relay.test', message: 'This is a test of the relay.' };
		const body = Buffer.from(JSON.stringify(data));
		const common = { orderKey: null, urgent: false, party: null, contentType: 'application/json' };
		const { id } = await relay.store({ type: 'relay.test', data, body, only, ...common });
		return c.json({ id }, 202);
	});

	app.post('/subscriptions/:id/replay-failed', requireAdmin, async (c) => {
		const relay = await c.var.relay();
		const { id } = await relay.subscriptions.get(c.var.caller, c.req.param('id'));
		return c.json(await replayFailed(relay.services, id), 202);
	});

	app.get('/events', async (c) => {
		const { deliveries, ...query } = parseInput(eventQuerySchema, c.req.query());
		const { services } = await c.var.relay();
		const list = await listEvents(services, query);
		if (deliveries === undefined) return c.json(list);
		return c.json({ ...list, data: await withDeliveryCounts(services, list.data, ownerOf(c)) });
	});
	app.get('/events/:id', async (c) =>
		c.json(await readEvent((await c.var.relay()).services, c.req.param('id'), ownerOf(c))),
	);
	app.delete('/events', requireAdmin, async (c) => {
		const { number } = parseInput(numberQuerySchema, c.req.query());
		const { services } = await c.var.relay();
		const erased: Erased = {
			deleted: await eraseNumber(services, number),
			sends: await eraseRecipient(services, number),
		};
		return c.json(erased);
	});
	app.post('/events/:id/replay', requireAdmin, async (c) => {
		const { subscription } = await readJson(c, replaySchema);
		await replay((await c.var.relay()).services, c.req.param('id'), subscription);
		return c.json({ accepted: true }, 202);
	});
	app.post('/deliveries/:id/retry', async (c) => {
		const [subscription = '', event = ''] = c.req.param('id').split(':');
		const relay = await c.var.relay();
		await relay.subscriptions.get(c.var.caller, subscription);
		const { deliveries } = await readEvent(relay.services, event);
		const delivery = deliveries.find((one) => one.subscription.id === subscription);
		if (!delivery) throw new HttpError(404, 'not_found', 'This delivery does not exist.');
		if (delivery.state === 'delivered' && c.var.caller.kind !== 'admin') {
			const message = 'This event was delivered. To deliver it once more, an admin token can replay it.';
			throw new HttpError(403, 'forbidden', message);
		}
		await replay(relay.services, event, subscription);
		return c.json({ accepted: true }, 202);
	});

	app.route('/sends', createSendRoutes());

	app.get('/status', requireAdmin, async (c) => {
		const { address } = parseInput(statusQuerySchema, c.req.query());
		return c.json(await readStatus(await c.var.relay(), address ?? new URL(c.req.url).origin));
	});
	app.get('/stream', requireAdmin, async (c) => streamChanges(c, (await c.var.relay()).services.changes));

	app.get('/tokens', requireAdmin, async (c) => c.json({ data: await (await c.var.relay()).tokens.list() }));
	app.post('/tokens', requireAdmin, async (c) => {
		const input = await readJson(c, newTokenSchema);
		return c.json(await (await c.var.relay()).tokens.create(input), 201);
	});
	app.delete('/tokens/:id', requireAdmin, async (c) => {
		await (await c.var.relay()).tokens.revoke(c.req.param('id'));
		return c.body(null, 204);
	});

	app.all('*', () => {
		throw new HttpError(404, 'not_found', UNKNOWN_PATH);
	});
	return app;
}

/** An admin sees all deliveries, other tokens those of their subscriptions. */
function ownerOf(c: Context<HonoEnv>): string | undefined {
	return c.var.caller.kind === 'admin' ? undefined : c.var.caller.id;
}
