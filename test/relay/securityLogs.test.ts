import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { accept, acceptUnrecognized, createToken, subscribe } from '../support/relay/api';
import { type TestDatabase, useDatabase } from '../support/relay/databases';
import { eventually } from '../support/eventually';
import { startReceiver } from '../support/relay/receiver';
import { INGEST_SECRET, RELAY_TOKEN } from '../support/relay/relay';
import { type RelayProcess } from '../support/relay/relayProcess';
import { temporaryFolder } from '../support/temporaryFolder';

const PLANTED = {
	number: '+233209876543',
	words: 'Planted words of Ama',
	key: 'planted-encryption-key-0000000000000000',
};
const inbound = { from: PLANTED.number, to: 'KOFISHOP', message: PLANTED.words };
const support = join(__dirname, '..', 'support', 'relay');

/** Values that a process with these tokens may write nowhere. */
function expectNothingPrivate(written: readonly string[], more: readonly string[] = []): void {
	const text = written.join('\n');
	const hidden = [...Object.values(PLANTED), PLANTED.number.slice(-6), RELAY_TOKEN, INGEST_SECRET, ...more];
	for (const value of hidden) expect(text).not.toContain(value);
}

/** A relay with a subscriber that fails, events of all kinds, and a token and secret that are in use. */
async function busyRelay(database: TestDatabase, env: Readonly<Record<string, string>> = {}) {
	const relay = await database.startProcess({ env: { RELAY_KEY: PLANTED.key, ...env } });
	const receiver = await startReceiver();
	receiver.respond = () => 500;
	const token = await createToken(relay, 'script');
	const { secret } = await subscribe(relay, { url: `${receiver.url}?${PLANTED.words.split(' ')[0]}` }, token);
	// Each time another event, because the relays of a block share their database.
	const run = randomUUID();
	await accept(relay, { ...inbound, message: `${PLANTED.words} ${run}` }, { path: '/sms' });
	await accept(relay, { message_id: `planted-${run}`, status: 'sent', to: PLANTED.number, channel: 'sms' });
	await acceptUnrecognized(relay, `{"note": "${PLANTED.words}"`, 'application/json');
	await eventually('a failed attempt', () => (receiver.requests.length > 0 ? true : undefined));
	return { relay, receiver, hidden: [token, secret, secret.slice(6), 'Planted'] };
}

const ended = async ({ pid }: RelayProcess) =>
	await eventually('the end of the relay', () => {
		try {
			process.kill(pid, 0);
			return undefined;
		} catch {
			return true;
		}
	});

describe('the output of a relay that crashes', () => {
	const database = useDatabase('postgres');
	it.each(['error', 'rejection', 'group'])('has no number, text or secret of its cause (%s)', async (kind) => {
		// The second line looks like a place in the code.
		const cause = `${PLANTED.number} said ${PLANTED.words}\n    at ${PLANTED.number} (/${RELAY_TOKEN}:1:1)`;
		const env = {
			NODE_OPTIONS: `--import ${join(support, 'crashOnSignal.mjs')}`,
			CRASH_WITH: cause,
			CRASH_AS: kind,
		};
		const { relay, receiver, hidden } = await busyRelay(database(), env);
		process.kill(relay.pid, 'SIGUSR2');
		await ended(relay);
		expect(relay.output().join('\n')).toMatch(/The relay ended: \w*Error/);
		expectNothingPrivate(relay.output(), hidden);
		await receiver.close();
	});
});

describe('the output of a relay whose database fails', () => {
	const postgres = useDatabase('postgres');
	const folder = useDatabase('folder');

	it('has no number, text or secret, if PostgreSQL rejects every write and quotes its values', async () => {
		// An attempt each second, and no pause that grows.
		const often = { RELAY_RETRY_SCHEDULE: Array(50).fill(1).join(), RELAY_PROBES: '1' };
		const { relay, receiver, hidden } = await busyRelay(postgres(), often);
		const statements = [
			// Errors with the values of the row in message, detail and context.
			`alter table relay.event add constraint no_numbers check (party is null) not valid`,
			`create function relay.fail() returns trigger language plpgsql as $$ begin
				raise exception 'quoted: %', to_jsonb(new) using detail = to_jsonb(new)::text, hint = to_jsonb(new)::text; end $$`,
			`create trigger fail before insert or update on relay.delivery for each row execute function relay.fail()`,
			`create trigger fail before update on relay.token for each row execute function relay.fail()`,
			`create trigger fail before update on relay.subscription for each row execute function relay.fail()`,
		];
		// On a slow machine, the next attempt can be in flight when the last statement ends.
		const before = receiver.requests.length;
		for (const statement of statements) await postgres().query(statement);
		const failing = [
			await relay.post({ ...inbound, message: `${PLANTED.words} again` }, { path: '/sms' }),
			await relay.post({ balance: 3, threshold: 5, currency: 'GHS', note: PLANTED.words }),
		];
		expect(failing.map(({ status }) => status)).toEqual([503, 503]);
		for (const response of failing) expectNothingPrivate([await response.text()], hidden);
		expect(relay.output().filter((line) => line.includes('A request failed'))).not.toEqual([]);
		// Its outcome cannot be written either.
		await eventually('the next attempt', () => (receiver.requests.length > before ? true : undefined), 60_000);
		await relay.kill();
		expectNothingPrivate(relay.output(), hidden);
		await receiver.close();
	});

	it('has no number, text or secret, if the files of the embedded database are gone', async () => {
		const { relay, receiver, hidden } = await busyRelay(folder());
		rmSync(join(folder().folder, 'pgdata'), { recursive: true, force: true });
		const statuses = [];
		for (let index = 0; index < 5; index += 1) {
			const body = { ...inbound, message: `${PLANTED.words} ${index} ${'x'.repeat(100_000)}` };
			statuses.push(
				await relay.post(body, { path: '/sms' }).then(
					({ status }) => status,
					() => 'closed',
				),
			);
		}
		expect(statuses).not.toContain(500);
		await relay.kill();
		expectNothingPrivate(relay.output(), hidden);
		await receiver.close();
	});

	it('has no value of a statement that the embedded database rejects', async () => {
		const script = join(support, 'folderErrors.ts');
		const args = [
			'--disable-warning=ExperimentalWarning',
			'--import',
			'tsx',
			script,
			temporaryFolder(),
			PLANTED.number,
		];
		const { stdout, stderr } = await promisify(execFile)(process.execPath, args);
		expect(stdout).toBe('rejected rejected rejected rejected');
		expectNothingPrivate([stderr]);
	});
});
