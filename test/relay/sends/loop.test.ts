import { contract } from '../../../shared';
import { closedPort } from '../../support/closedPort';
import { NOTHING_SENT } from '../../support/promises';
import { callThrough, gatewayEnv, sendThrough, sms } from '../../support/relay/gateway';
import { useDatabase } from '../../support/relay/databases';
import type { RelayProcess } from '../../support/relay/relayProcess';
import { relayedClient } from './relayedClient';

/** How many calls left the relay, with each outcome. */
const forwarded = async (relay: RelayProcess) => {
	const metrics = await (await relay.api('GET', '/metrics')).text();
	return [...metrics.matchAll(/^relay_sends_total\{[^}]*outcome="(\w+)"[^}]*\} (\d+)$/gm)]
		.map(([, outcome, count]) => [outcome, Number(count)])
		.filter(([, count]) => count !== 0);
};

describe('a relay whose RELAY_SERVICE_URL is its own address', () => {
	const database = useDatabase('postgres');
	let relay: RelayProcess;
	beforeAll(async () => {
		const port = await closedPort();
		const env = gatewayEnv(`http://localhost:${port}`, { RELAY_SERVICE_TIMEOUT_SECONDS: '2' });
		relay = await database().startProcess({ port, env });
	});

	it('says so at its start', () => {
		const warnings = relay.output().filter((line) => line.startsWith('WARNING: '));
		expect(warnings).toEqual([
			'WARNING: RELAY_SERVICE_URL is an address of this relay. No call and no STOP reaches the service. Set it to the base URL of the service.',
		]);
	});

	it('rejects a send after one round, names the setting, and frees the key', async () => {
		for (const text of ['First', 'Another content with the same key']) {
			const response = await sendThrough(relay, sms(text), { key: 'loop-1' });
			expect([response.status, response.code, response.outcome]).toEqual([508, 'relay_loop', 'rejected']);
			expect(response.text).toContain('RELAY_SERVICE_URL');
			expect(response.text).toContain(NOTHING_SENT);
		}
		expect(await forwarded(relay)).toEqual([['rejected', 2]]);
	});

	it('rejects a bulk send with keys, and a call that only reads', async () => {
		const body = { ...sms(), to: ['+233201234567', '+233201234568'], idempotency_keys: ['loop-2', 'loop-3'] };
		const bulk = await callThrough(relay, 'POST', '/sms/bulk', body);
		expect([bulk.status, bulk.code, bulk.outcome]).toEqual([508, 'relay_loop', 'rejected']);
		const read = await callThrough(relay, 'GET', '/balance');
		expect([read.status, read.code, read.outcome]).toEqual([508, 'relay_loop', 'rejected']);
		expect(read.text).not.toContain(NOTHING_SENT);
	});

	it('is reported by the client as rejected, without a repeat', async () => {
		const rejected = async () => Number((await forwarded(relay))[0]?.[1]);
		const before = await rejected();
		const client = relayedClient(`${relay.url}/api/v1/`, 'sk_sandbox_demo');
		const outcome = await client.call(contract.sms.send, sms(), { idempotencyKey: 'loop-4' });
		expect(outcome).toMatchObject({ outcome: 'rejected', error: { sent: 'no', code: 'relay_loop', status: 508 } });
		expect(outcome.outcome === 'rejected' && outcome.error.message).toContain('RELAY_SERVICE_URL');
		// The relay forwarded it once, and this loop came back to it.
		expect(await rejected()).toBe(before + 1);
	});

	it('is recognized by another process on its database', async () => {
		const before = await forwarded(relay);
		const other = await database().startProcess({ env: gatewayEnv(relay.url) });
		const response = await sendThrough(other, sms(), { key: 'loop-5' });
		expect([response.status, response.code, response.outcome]).toEqual([508, 'relay_loop', 'rejected']);
		expect(await forwarded(other)).toEqual([['rejected', 1]]);
		// The other process forwarded it once, and this one forwarded nothing.
		expect(await forwarded(relay)).toEqual(before);
	});
});
