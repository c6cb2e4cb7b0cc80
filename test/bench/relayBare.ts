import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';
import type { AddressInfo } from 'node:net';
import { z } from 'zod/v4';
import { openDatabase } from '../../relay/database/open';

/** The peer of the relay's ingest: the same HTTP library, and one insert on the same database engine. */
async function main(): Promise<void> {
	const [target = ''] = process.argv.slice(2);
	const database = await openDatabase(target);
	await database.query(
		'create table if not exists bare (id bigserial primary key, body jsonb, at timestamptz default now())',
	);
	const app = new Hono();
	app.post('/', async (c) => {
		const body = z
			.object({})
			.loose()
			.parse(await c.req.json());
		await database.query('insert into bare (body) values ($1)', [JSON.stringify(body)]);
		return c.json({ received: true });
	});
	const server = createAdaptorServer({ fetch: app.fetch, overrideGlobalObjects: false });
	server.listen(0, '127.0.0.1', () => {
		const { port } = server.address() as AddressInfo;
		process.stdout.write(`ready http://127.0.0.1:${port}/\n`);
	});
}

void main();
