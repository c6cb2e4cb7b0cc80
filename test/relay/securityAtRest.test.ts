import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createToken, subscribe } from '../support/relay/api';
import { describeOnEachDatabase, type TestDatabase } from '../support/relay/databases';
import { gatewayEnv, sendThrough, sms } from '../support/relay/gateway';
import { INGEST_SECRET, RELAY_TOKEN, type Relay } from '../support/relay/relay';
import { useSandbox } from '../support/useSandbox';

const { sandbox, control } = useSandbox();

/** The URL of a subscription is in plain text. The search must find it. */
const URL_OF_SUBSCRIPTION = 'http://127.0.0.1:9/a-receiver-that-the-search-must-find';

async function logIn(relay: Relay): Promise<string> {
	const response = await fetch(`${relay.url}/session`, {
		method: 'POST',
		headers: { origin: relay.url, 'content-type': 'application/json' },
		body: JSON.stringify({ token: RELAY_TOKEN }),
	});
	const secret = /=([^;]{20,})/.exec(response.headers.get('set-cookie') ?? '')?.[1];
	if (secret === undefined) throw new Error('The login set no cookie');
	return secret;
}

/** All that a thief of the database reads: every row of every table, or the bytes of every file in the folder. */
async function contentsOf({ kind, folder, query }: TestDatabase): Promise<string> {
	if (kind === 'folder') {
		const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
		return files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1')).join('\n');
	}
	const tables = await query<{ name: string }>(
		`select format('%I.%I', table_schema, table_name) as name from information_schema.tables
		where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
	);
	const rows = await Promise.all(
		tables.map(async ({ name }) => await query<{ row: string }>(`select to_jsonb(t)::text as row from ${name} t`)),
	);
	return rows
		.flat()
		.map(({ row }) => row)
		.join('\n');
}

describeOnEachDatabase('secrets at rest', (database) => {
	it('are in no row and no file in plain text', async () => {
		const relay = await database().start({
			env: gatewayEnv(sandbox.baseUrl, { RELAY_SERVICE_TIMEOUT_SECONDS: '2' }),
		});
		const token = await createToken(relay, 'script');
		const { secret } = await subscribe(relay, { url: URL_OF_SUBSCRIPTION });
		const session = await logIn(relay);
		expect((await sendThrough(relay, sms('Your code is 482913'), { key: 'order-accepted-4711' })).status).toBe(200);
		await control.fault({ endpoint: 'sms.send', kind: 'drop_after' });
		const unknown = sms('Your balance is GHS 7,412', '+233209876543');
		expect((await sendThrough(relay, unknown, { key: 'order-unknown-4712' })).outcome).toBe('unknown');
		// The rest of an embedded database is in memory until then.
		await relay.stop();

		const contents = await contentsOf(database());
		expect(contents.includes(URL_OF_SUBSCRIPTION)).toBe(true);
		const secrets = {
			'the admin token': RELAY_TOKEN,
			'another token': token,
			'the ingest secret': INGEST_SECRET,
			'the signing secret': secret,
			'the key of the signing secret': secret.replace('whsec_', ''),
			'the login': session,
			'the API key of the service': 'sk_sandbox_demo',
			'an idempotency key': 'order-accepted-4711',
			'the idempotency key of an unknown send': 'order-unknown-4712',
			'the text of a send': 'Your code is 482913',
			'the text of an unknown send': unknown.message,
			'the number of a send': '233201234567',
			'the number of an unknown send': '233209876543',
		};
		const found = Object.entries(secrets).filter(([, text]) => contents.includes(text));
		expect(found.map(([name]) => name)).toEqual([]);
	});
});
