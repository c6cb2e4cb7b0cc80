import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import { installN8n } from '../../scripts/lib/install/n8n.mjs';
import { createApiKey, createOwner, logIn, openPublicApi } from '../../scripts/lib/n8n/api.mjs';
import { buildPackage, installPackageInN8n } from '../../scripts/lib/n8n/package.mjs';
import { startN8n } from '../../scripts/lib/n8n/server.mjs';
import { createProgress } from '../../scripts/lib/bootstrap/progress.mjs';
import { reservePort } from '../../scripts/lib/process/free-port.mjs';
import { endAllProcesses } from '../../scripts/lib/process/processes.mjs';
import { relayCommand } from '../../scripts/lib/process/relay.mjs';
import { waitUntil } from '../../scripts/lib/process/wait-until.mjs';
import { load } from './statistics.mjs';

/**
 * Compares batches of 500 delivery receipts with one execution for each receipt, through the relay and a real n8n. Each
 * workflow has one more node, and n8n saves no executions. The receipts wait at the relay, so the time is that of delivery
 * and executions alone. docs/benchmarks.md has the results. Run: `npm run bench batches`, or with fewer receipts: `npm run
 * bench batches 1000`.
 */
const [RECEIPTS = 10_000] = process.argv.slice(2).map(Number);
const CLIENTS = 16;
const TOKEN = 'rly_bench_token_0123456789abcdef';
const SECRET = 'bench-secret-0123456789abcdef';

/** @param {string} folder */
async function startRelay(folder) {
	const settings = { RELAY_ALLOW: '127.0.0.1', RELAY_TOKEN: TOKEN, RELAY_INGEST_SECRET: SECRET };
	const { program, args, cwd, env } = relayCommand(['--port', '0', '--folder', folder], {
		env: { ...process.env, ...settings },
	});
	const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] });
	for await (const line of createInterface(child.stdout)) {
		const url = /^ready (\S+)$/.exec(line)?.[1];
		if (url !== undefined) return { child, url };
	}
	throw new Error('The relay ended before it was ready');
}

/**
 * @param {string} url the relay's address
 * @returns {(method: string, path: string, body?: object) => Promise<any>} calls the relay's API
 */
function relayApi(url) {
	return async (method, path, body) => {
		const response = await fetch(url + path, {
			method,
			headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
			...(body && { body: JSON.stringify(body) }),
		});
		if (!response.ok) throw new Error(`The relay responded ${response.status}: ${await response.text()}`);
		return await response.json();
	};
}

/**
 * @param {string} url the relay's address
 * @param {number} count
 */
async function postReceipts(url, count) {
	let left = count;
	const client = async () => {
		while (left-- > 0) {
			const response = await fetch(`${url}/in/${SECRET}`, {
				method: 'POST',
				headers: { 'content-type': 'application/json' },
				body: JSON.stringify({ message_id: randomUUID(), status: 'delivered', to: '+233201234567', channel: 'sms' }),
			});
			if (!response.ok) throw new Error(`The relay responded ${response.status}`);
			await response.arrayBuffer();
		}
	};
	await Promise.all(Array.from({ length: CLIENTS }, client));
}

/**
 * @param {ReturnType<typeof openPublicApi>} api
 * @param {string} relayUrl
 * @param {object} options of the trigger
 * @returns {Promise<number>} seconds from the first delivery to the last
 */
async function measure(api, relayUrl, options) {
	const relay = relayApi(relayUrl);
	const credentialData = { relayUrl, relayToken: TOKEN };
	const { id: credential } = await api('POST', '/credentials', {
		name: 'Relay',
		type: 'messagingServiceRelayApi',
		data: credentialData,
	});
	const trigger = {
		...{ id: randomUUID(), webhookId: randomUUID(), name: 'Start', position: [0, 0], typeVersion: 1 },
		type: 'n8n-nodes-messaging-service.messagingServiceTrigger',
		parameters: { receiveThrough: 'relay', triggerOn: ['deliveryReceipt'], options },
		credentials: { messagingServiceRelayApi: { id: credential, name: 'Relay' } },
	};
	const noOp = { id: randomUUID(), name: 'End', type: 'n8n-nodes-base.noOp', typeVersion: 1, position: [200, 0] };
	const { id } = await api('POST', '/workflows', {
		name: JSON.stringify(options),
		settings: { executionOrder: 'v1', saveDataSuccessExecution: 'none', saveDataErrorExecution: 'none' },
		connections: { Start: { main: [[{ node: 'End', type: 'main', index: 0 }]] } },
		nodes: [trigger, { ...noOp, parameters: {} }],
	});
	await api('POST', `/workflows/${id}/activate`);
	const subscription = async () => {
		const { data } = await relay('GET', '/v1/subscriptions');
		return data.find((/** @type {{ reference: string }} */ { reference }) => reference.includes(`/${id}/`));
	};
	/** @param {number} count */
	const round = async (count) => {
		// n8n activates a workflow after it responded.
		const { id: registered } = await waitUntil('the subscription', subscription, { withinMs: 30_000 });
		await relay('PATCH', `/v1/subscriptions/${registered}`, { state: 'paused' });
		await postReceipts(relayUrl, count);
		const began = performance.now();
		await relay('PATCH', `/v1/subscriptions/${registered}`, { state: 'active' });
		const all = { withinMs: 3_600_000, everyMs: 100 };
		await waitUntil('all deliveries', async () => (await subscription()).health.pending === 0, all);
		await waitUntil(
			'all executions',
			async () => (await api('GET', '/executions?status=running')).data.length === 0,
			all,
		);
		return (performance.now() - began) / 1000;
	};
	await round(Math.ceil(RECEIPTS / 20));
	const seconds = await round(RECEIPTS);
	await api('POST', `/workflows/${id}/deactivate`);
	return seconds;
}

await installN8n(createProgress({ total: 1 }), { install: false });
await buildPackage();
const folder = mkdtempSync(join(tmpdir(), 'bench-'));
const { child, url: relayUrl } = await startRelay(join(folder, 'relay'));
try {
	await installPackageInN8n(folder, join(folder, 'pack.log'));
	const port = await reservePort(5_850);
	const brokerPort = await reservePort(port + 1);
	const logFile = join(folder, 'n8n.log');
	const { url } = await startN8n({ userFolder: folder, port, brokerPort, encryptionKey: 'bench', logFile });
	const login = { email: 'bench@example.com', password: 'Bench-password-1' };
	await createOwner(url, login);
	const api = openPublicApi(url, await createApiKey(await logIn(url, login)));
	const batched = await measure(api, relayUrl, { batchSize: 500 });
	const single = await measure(api, relayUrl, {});
	console.log(`\n${RECEIPTS} receipts through the relay (${load()})`);
	console.log(`  in batches of 500: ${batched.toFixed(1)} s, ${(RECEIPTS / batched).toFixed(0)} per second`);
	console.log(`  one by one: ${single.toFixed(1)} s, ${(RECEIPTS / single).toFixed(0)} per second`);
	console.log(`  batches are ${(single / batched).toFixed(1)} times as fast (goal: 20)`);
} finally {
	const exited = once(child, 'exit');
	child.kill('SIGTERM');
	await exited;
	await endAllProcesses();
	rmSync(folder, { recursive: true, force: true });
}
