import type { Dispatcher } from 'undici';
import { undiciDispatcher } from '../../shared/transports/undici';
import type { Sql } from '../database/database';
import { logProblem } from '../log';
import type { Services } from '../services';
import type { UrlPolicy } from '../subscriptions/urlPolicy';
import { RELAY_VERSION } from '../version';

/** How long a request may take, in milliseconds. */
const TIMEOUT_MS = 10_000;

/** How often subscriptions that other processes ended are looked for, in milliseconds. */
const EVERY_MS = 10_000;

/**
 * Notes that Zapier has to learn about the end of subscriptions, because their Zaps are still on. Not for those that
 * Zapier ended itself.
 * @param sql the transaction that ends them
 */
export async function oweFarewells(sql: Sql, ids: readonly string[]): Promise<void> {
	await sql.query(`update relay.subscription set owes_farewell = true where id = any($1) and kind = 'zapier'`, [ids]);
}

/**
 * Sends a DELETE to the URL of each Zap whose subscription the relay ended, once. Zapier then turns the Zap off and
 * shows it as such (https://docs.zapier.com/powered-by-zapier/zap-creation/known-limitations). A failure is not
 * repeated: the Zap then stays on without events.
 * @returns ends it, after the requests in flight
 */
export function startFarewells(services: Services, policy: UrlPolicy): () => Promise<void> {
	const { changes } = services;
	const dispatcher = undiciDispatcher({ connect: { timeout: TIMEOUT_MS, lookup: policy.lookup } });
	let current: Promise<void> | undefined;
	const start = () => {
		current ??= sayAll(services, policy, dispatcher)
			.catch((error: unknown) => logProblem('The ends of subscriptions could not be reported to Zapier', error))
			.finally(() => (current = undefined));
	};
	const timer = setInterval(start, EVERY_MS);
	timer.unref();
	const unlisten = changes.listen((topic) => {
		if (topic === 'subscriptions') start();
	});
	return async () => {
		clearInterval(timer);
		unlisten();
		await current;
		await dispatcher.close();
	};
}

async function sayAll({ database }: Services, policy: UrlPolicy, dispatcher: Dispatcher): Promise<void> {
	const owed = await database.query<{ id: string }>('select id from relay.subscription where owes_farewell');
	if (owed.length === 0) return;
	// Before the request, so that no other process sends it as well.
	const mine = await database.query<{ url: string }>(
		'update relay.subscription set owes_farewell = false where id = any($1) and owes_farewell returning url',
		[owed.map(({ id }) => id)],
	);
	await Promise.all(mine.map(async ({ url }) => await say(url, policy, dispatcher)));
}

async function say(url: string, policy: UrlPolicy, dispatcher: Dispatcher): Promise<void> {
	if (policy.check(url, { onlyZapier: true })) return;
	const { origin, pathname, search } = new URL(url);
	try {
		const { body } = await dispatcher.request({
			origin,
			path: `${pathname}${search}`,
			method: 'DELETE',
			headers: { 'user-agent': `messaging-service-relay/${RELAY_VERSION}` },
			signal: AbortSignal.timeout(TIMEOUT_MS),
		});
		await body.dump();
	} catch {
		// Zapier is away, and the Zap stays on without events.
	}
}
