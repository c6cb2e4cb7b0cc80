import { DatabaseSync } from 'node:sqlite';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { z } from 'zod/v4';

/** The peer of the sandbox: only the same HTTP library and one insert per request. */
const database = new DatabaseSync(process.argv[2] ?? ':memory:');
database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
database.exec('CREATE TABLE messages (id INTEGER PRIMARY KEY, recipient TEXT, sender_id TEXT, text TEXT) STRICT');
const insert = database.prepare('INSERT INTO messages (recipient, sender_id, text) VALUES (?, ?, ?)');
const input = z.object({ to: z.string(), sender_id: z.string(), message: z.string() });

const app = new Hono();
app.post('/api/v1/sms/send', async (c) => {
	const { to, sender_id, message } = input.parse(await c.req.json());
	const { lastInsertRowid } = insert.run(to, sender_id, message);
	return c.json({ success: true, message_id: String(lastInsertRowid), status: 'submitted' });
});
const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => {
	process.stdout.write(`ready http://127.0.0.1:${port}\n`);
});
process.on('SIGTERM', () => server.close());
