import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { readSettings } from '../../relay/settings';
import { accept, createToken, eventWhere, subscribe } from '../support/relay/api';
import { builtRelay } from '../support/relay/builtRelay';
import { describeOnEachDatabase, useDatabase } from '../support/relay/databases';
import { startReceiver } from '../support/relay/receiver';
import { INGEST_SECRET, RELAY_TOKEN, relayFolder, runTokenCommand } from '../support/relay/relay';
import { temporaryFolder } from '../support/temporaryFolder';

/** Values that may appear nowhere but in the responses that are made for them. */
const PLANTED = {
	number: '+233209876543',
	sender: 'KOFISECRET',
	words: 'Planted words of Ama',
	messageId: 'planted-message-id',
	path: 'planted-path',
	query: 'planted-query',
	key: 'planted-encryption-key-0000000000000000',
	callback: 'planted-callback',
	password: 'planted-password',
};

/** Runs the relay's command, and returns all it writes. */
async function run(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
	const child = spawn(process.execPath, [builtRelay().program, ...args], { env: { PATH: process.env.PATH, ...env } });
	const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
	return { output: out + err, code: child.exitCode };
}

describe('output, errors and metrics of a relay', () => {
	const database = useDatabase('postgres');
	it('have no secret, token, number or text, whatever fails', async () => {
		const away = await startReceiver();
		const { url: closedUrl } = away;
		await away.close();
		const failing = await startReceiver();
		failing.respond = () => 500;
		const relay = await database().startProcess({
			env: {
				RELAY_KEY: PLANTED.key,
				RELAY_SERVICE_URL: `${closedUrl}/${PLANTED.path}`,
				RELAY_CALLBACK_URL: `${closedUrl}?${PLANTED.callback}`,
			},
		});
		const token = await createToken(relay, 'script');
		const { secret } = await subscribe(relay, { url: `${closedUrl}?${PLANTED.query}` }, token);
		await subscribe(relay, { url: `${failing.url}/${PLANTED.path}`, types: ['message.status', 'sms.inbound'] }, token);

		const errors: string[] = [];
		const collect = async (response: Response) => {
			if (!response.ok) errors.push(await response.text());
			return response.status;
		};
		const inbound = { from: PLANTED.number, to: PLANTED.sender, message: PLANTED.words };
		const receipt = { message_id: PLANTED.messageId, to: PLANTED.number, channel: 'sms' };
		const { id } = await accept(relay, inbound, { path: '/sms' });
		await accept(relay, { ...receipt, status: 'sent' });
		await eventWhere(relay, id ?? '', ({ deliveries }) =>
			deliveries.every(({ tries }) => tries.some(({ error }) => error !== null)),
		);

		await collect(await relay.post(`{"message":"${PLANTED.words}`));
		await collect(await relay.post(`"${PLANTED.words.repeat(20_000)}"`));
		await collect(await relay.post(inbound, { path: `/${PLANTED.path}` }));
		await collect(await relay.api('GET', '/v1/me', undefined, `${token}x`));
		await collect(await relay.api('GET', `/v1/${PLANTED.path}/${encodeURIComponent(PLANTED.number)}`));
		await collect(await relay.api('GET', `/${PLANTED.path}?token=${token}`));
		await collect(await relay.api('GET', `/v1/events/${PLANTED.messageId}`, undefined, token));
		await collect(await relay.api('GET', `/v1/events?before=${PLANTED.messageId}`, undefined, token));
		for (const url of [
			`http://10.0.0.1/${PLANTED.path}`,
			`https://ama:${PLANTED.password}@example.com/`,
			PLANTED.path,
		]) {
			const body = { url, types: ['sms.inbound'] };
			expect(await collect(await relay.api('POST', '/v1/subscriptions', body, token))).toBe(422);
		}
		const withNul = { url: closedUrl, types: ['sms.inbound'], filter: { from: [`${PLANTED.number}\0`] } };
		expect(await collect(await relay.api('POST', '/v1/subscriptions', withNul, token))).toBe(422);
		await database().query('alter table relay.event rename to event_away');
		const again = { ...inbound, message: `${PLANTED.words} 2` };
		expect(await collect(await relay.post(again, { path: '/sms' }))).toBe(503);
		expect(await collect(await relay.api('GET', '/v1/events', undefined, token))).toBe(503);
		await database().query('alter table relay.event_away rename to event');
		expect(relay.output().filter((line) => line.includes('A request failed'))).not.toEqual([]);
		const metrics = await (await relay.api('GET', '/metrics', undefined, token)).text();
		expect(metrics).toMatch(/^relay_events_total\{type="sms.inbound"\} 1$/m);
		expect(metrics).toMatch(/^relay_attempts_total\{result="no_response"\} [1-9]/m);
		expect(metrics).toMatch(/^relay_attempts_total\{result="5xx"\} [1-9]/m);
		expect(metrics).toMatch(/^relay_deliveries_pending [1-9]/m);
		expect(metrics).toMatch(/^relay_ingest_seconds_count [1-9]/m);
		await relay.stop();
		await failing.close();

		expect(errors.length).toBeGreaterThan(8);
		const written = [...relay.output(), ...errors, metrics].join('\n');
		for (const value of [...Object.values(PLANTED), RELAY_TOKEN, INGEST_SECRET, token, secret]) {
			expect(written).not.toContain(value);
		}
		// Also no part of a number.
		expect(written).not.toContain(PLANTED.number.slice(-6));
	}, 180_000);
});

describe('a relay that starts for the first time', () => {
	it('prints the ingest secret and the first token once', async () => {
		const folder = relayFolder();
		const start = async () => {
			const args = [builtRelay().program, '--port', '0', '--folder', folder];
			const child = spawn(process.execPath, args, { env: { PATH: process.env.PATH } });
			const output = text(child.stdout);
			child.stdout.on('data', (chunk: Buffer) => {
				if (/^ready /m.test(chunk.toString())) child.kill('SIGTERM');
			});
			return await output;
		};
		const first = await start();
		const [, secret = '-'] = /\/in\/([\w-]{24,})\n/.exec(first) ?? [];
		const [token = '-'] = /rly_[\w-]+/.exec(first) ?? [];
		expect([secret.length, token.length]).toEqual([32, 47]);
		const second = await start();
		expect(second).toContain('ready http://127.0.0.1:');
		expect(second).not.toContain(secret);
		expect(second).not.toContain('rly_');
	}, 180_000);
});

describe('a relay that cannot start', () => {
	it.each([
		[
			'a database that is away',
			['--port', '0', '--database', `postgres://ama:${PLANTED.password}@127.0.0.1:1/relay`],
			'cannot be reached',
		],
		['a host that is not here', ['--host', '192.0.2.1', '--port', '0'], 'does not have the address'],
		['an argument without an option', [`postgres://ama:${PLANTED.password}@127.0.0.1/relay`], 'without an option'],
	])('because of %s says so, without the password', async (_name, args, problem) => {
		const { output, code } = await run(['--folder', temporaryFolder(), ...args]);
		expect(code).toBe(2);
		expect(output).toContain(problem);
		expect(output).not.toContain(PLANTED.password);
	});

	it('because of a URL that is wrong says so, without the password', () => {
		const read = () => readSettings(['--database', `postgres://ama:${PLANTED.password}@127.0.0.1:x/relay`], {});
		expect(read).toThrow('--database must be');
		expect(read).not.toThrow(PLANTED.password);
	});

	it('because of a wrong argument of a command says so, without the password', async () => {
		const { output } = await runTokenCommand(['revoke', PLANTED.password, PLANTED.password], {});
		expect(output).toContain('relay token revoke ID');
		expect(output).not.toContain(PLANTED.password);
	});

	it('prints help on request, and starts nothing', async () => {
		const { output, code } = await run(['--help']);
		expect(code).toBe(0);
		expect(output).toContain('RELAY_ALLOW');
	});
});

describeOnEachDatabase('tokens on the command line', (database) => {
	const target = () =>
		database().url === undefined ? ['--folder', database().folder] : ['--database', database().url ?? ''];

	it('are created, listed and revoked in the database', async () => {
		if (database().kind === 'folder') {
			const early = await runTokenCommand(['list', '--folder', join(database().folder, 'never-started')], {});
			expect(early.code).toBe(2);
			expect(early.output).toContain('Start the relay once');
		}
		let relay = await database().start();
		const during = await runTokenCommand(['create', '--name', 'n8n of Kofi', '--kind', 'n8n', ...target()], {});
		if (database().kind === 'folder') {
			expect(during.code).toBe(2);
			expect(during.output).toContain('The relay runs and uses its folder.');
			await relay.stop();
		}
		const created = await run(['token', 'create', '--name', 'Zap of Ama', '--kind', 'zapier', ...target()]);
		const [token = ''] = /rly_[\w-]+/.exec(created.output) ?? [];
		const [id = ''] = /tok_\w+/.exec(created.output) ?? [];
		const listed = await runTokenCommand(['list', ...target()], {});
		expect(listed.output).toMatch(new RegExp(`^${id}  zapier  never used +Zap of Ama$`, 'm'));
		expect(listed.output).not.toContain('rly_');
		if (database().kind === 'folder') relay = await database().start();
		expect((await relay.api('GET', '/v1/me', undefined, token)).status).toBe(200);
		if (database().kind === 'folder') await relay.stop();
		expect(await runTokenCommand(['revoke', id, ...target()], {})).toMatchObject({ code: 0 });
		expect(await runTokenCommand(['revoke', id, ...target()], {})).toMatchObject({ code: 2 });
		if (database().kind === 'folder') relay = await database().start();
		expect((await relay.api('GET', '/v1/me', undefined, token)).status).toBe(401);
	}, 180_000);
});

describe('commands of tokens', () => {
	const help: ReadonlyArray<readonly [args: readonly string[], problem: string]> = [
		[['create', '--name', 'Ama', '--kind', 'boss'], '--kind must be n8n, zapier, script or admin.'],
		[['create', '--kind', 'n8n'], '--name must be a name of 1 to 100 characters.'],
		[['create', '--name', ' ', '--kind', 'n8n'], '--name must be a name of 1 to 100 characters.'],
		[['revoke'], 'Usage: relay token create'],
		[['remove', 'tok_1'], 'Usage: relay token create'],
		[[], 'Usage: relay token create'],
	];

	it.each(help)('say what to enter: %j', async (args, problem) => {
		const { output, code } = await runTokenCommand(args, {});
		expect(code).toBe(2);
		expect(output).toContain(problem);
	});

	it('say it on the terminal, with the exit code 2', async () => {
		const { output, code } = await run(['token', 'create', '--name', 'Ama', '--kind', 'boss']);
		expect(code).toBe(2);
		expect(output).toContain('--kind must be n8n, zapier, script or admin.');
	});
});
