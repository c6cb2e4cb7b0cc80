import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { reservePort } from '../../scripts/lib/process/free-port.mjs';
import { installN8n } from '../../scripts/lib/install/n8n.mjs';
import { createApiKey, createOwner, logIn, openPublicApi } from '../../scripts/lib/n8n/api.mjs';
import { startN8n } from '../../scripts/lib/n8n/server.mjs';
import { buildPackage, installPackageInN8n } from '../../scripts/lib/n8n/package.mjs';
import { endGroup } from '../../scripts/lib/bootstrap/process-group.mjs';
import { endAllProcesses } from '../../scripts/lib/process/processes.mjs';
import { waitUntil } from '../../scripts/lib/process/wait-until.mjs';
import { createProgress } from '../../scripts/lib/bootstrap/progress.mjs';
import { load, median } from './statistics.mjs';

/**
 * Compares inbound messages per second through a real n8n server: our trigger, n8n's Webhook node, and that node with header
 * authentication. Each responds at once and starts a workflow with one more node, without saving executions. A round lasts
 * until the server has finished all executions. docs/benchmarks.md has the results. Run: `npm run bench trigger`, or with
 * fewer requests and rounds: `npm run bench trigger 100 3`.
 */
const CONNECTIONS = 8;
const [POSTS = 400, ROUNDS = 7] = process.argv.slice(2).map(Number);

/** @typedef {ReturnType<typeof openPublicApi>} PublicApi */
/** @typedef {Record<string, { id: string, name: string }>} NodeCredentials */
/** @typedef {{ url: string, headers?: Record<string, string> }} Contestant */
/** @typedef {{ perSecond: number, processorMs: number }} Round */

/**
 * Reads the processor time of a process in milliseconds. The kernel counts hundredths of a second.
 *
 * @param {number | undefined} pid
 */
function processorTime(pid) {
	const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ');
	return (Number(fields[13]) + Number(fields[14])) * 10;
}

/**
 * Waits until the server is idle, and returns its processor time.
 *
 * @param {number | undefined} pid
 */
async function workedOff(pid) {
	for (let before = processorTime(pid); ;) {
		await sleep(500);
		const now = processorTime(pid);
		if (now - before <= 20) return now;
		before = now;
	}
}

/**
 * @param {PublicApi} api
 * @param {{ type: string, typeVersion: number, parameters: object }} trigger
 * @param {NodeCredentials} credentials
 */
async function createWorkflow(api, trigger, credentials) {
	const node = { id: randomUUID(), webhookId: randomUUID(), position: [0, 0], ...trigger, name: 'Start', credentials };
	const noOp = { id: randomUUID(), name: 'End', type: 'n8n-nodes-base.noOp', typeVersion: 1, position: [200, 0] };
	const { id } = await api('POST', '/workflows', {
		name: trigger.type,
		settings: {
			executionOrder: 'v1',
			saveDataSuccessExecution: 'none',
			saveDataErrorExecution: 'none',
			saveManualExecutions: false,
			saveExecutionProgress: false,
		},
		connections: { Start: { main: [[{ node: 'End', type: 'main', index: 0 }]] } },
		nodes: [node, { ...noOp, parameters: {} }],
	});
	await api('POST', `/workflows/${id}/activate`);
	return { id, node };
}

let posted = 0;

/** Makes a webhook of a gateway. Each has another message and another sender. */
const nextText = () =>
	JSON.stringify({
		From: `+23324${String(++posted).padStart(7, '0')}`,
		To: '1234',
		Message: `When do you open? ${posted}`,
	});

/**
 * @param {Agent} dispatcher
 * @param {Contestant} contestant
 */
async function post(dispatcher, { url, headers }) {
	const response = await request(url, {
		dispatcher,
		method: 'POST',
		headers: { 'content-type': 'application/json', ...headers },
		body: nextText(),
	});
	return { status: response.statusCode, body: await response.body.text() };
}

/**
 * @param {string} folder
 * @param {string} expressionEngine
 */
async function main(folder, expressionEngine) {
	await installPackageInN8n(folder, join(folder, 'pack.log'));
	const port = await reservePort(5_800);
	const { url, started } = await startN8n({
		userFolder: folder,
		port,
		brokerPort: await reservePort(port + 1),
		encryptionKey: 'bench',
		logFile: join(folder, 'n8n.log'),
		env: { N8N_EXPRESSION_ENGINE: expressionEngine },
	});
	const login = { email: 'bench@example.com', password: 'Bench-password-1' };
	await createOwner(url, login);
	const api = openPublicApi(url, await createApiKey(await logIn(url, login)));
	/**
	 * @param {string} type
	 * @param {object} data
	 * @returns {Promise<NodeCredentials>}
	 */
	const credential = async (type, data) => {
		const { id } = await api('POST', '/credentials', { name: type, type, data });
		return { [type]: { id, name: type } };
	};
	const secret = randomBytes(24).toString('base64url');
	const ours = await createWorkflow(
		api,
		{
			type: 'n8n-nodes-messaging-service.messagingServiceTrigger',
			typeVersion: 1,
			parameters: { authentication: 'secret' },
		},
		await credential('messagingServiceWebhookApi', { secret, previousSecret: '' }),
	);
	/**
	 * @param {string} authentication
	 * @param {NodeCredentials} credentials
	 */
	const webhook = async (authentication, credentials) => {
		const path = randomUUID();
		const parameters = { path, httpMethod: 'POST', responseMode: 'onReceived', authentication };
		await createWorkflow(api, { type: 'n8n-nodes-base.webhook', typeVersion: 2, parameters }, credentials);
		return `${url}/webhook/${path}`;
	};
	const header = await credential('httpHeaderAuth', { name: 'X-Secret', value: secret });
	const peer = 'Webhook';
	/** @type {Record<string, Contestant>} */
	const contestants = {
		'Messaging Service Trigger': { url: `${url}/webhook/${ours.node.webhookId}/${ours.id}/${ours.node.id}/${secret}` },
		[peer]: { url: await webhook('none', {}) },
		'Webhook with a header': { url: await webhook('headerAuth', header), headers: { 'x-secret': secret } },
	};
	const dispatcher = new Agent({ connections: CONNECTIONS });

	/**
	 * @param {Contestant} contestant
	 * @returns {Promise<Round>}
	 */
	async function round(contestant) {
		const pid = started.group;
		const before = await workedOff(pid);
		const began = performance.now();
		let left = POSTS;
		const worker = async () => {
			while (left-- > 0) {
				const { status, body } = await post(dispatcher, contestant);
				if (status !== 200 || body.includes('"started":false')) throw new Error(`The response was ${status}: ${body}`);
			}
		};
		await Promise.all(Array.from({ length: CONNECTIONS }, worker));
		const seconds = (performance.now() - began) / 1000;
		return { perSecond: POSTS / seconds, processorMs: ((await workedOff(pid)) - before) / POSTS };
	}

	for (const [name, contestant] of Object.entries(contestants)) {
		// n8n reports a workflow as active before its webhook is ready.
		await waitUntil(name, async () => (await post(dispatcher, contestant)).status === 200, { withinMs: 60_000 });
	}
	const results = Object.entries(contestants).map(([name, contestant]) => ({
		name,
		contestant,
		/** @type {Round[]} */
		rounds: [],
	}));
	for (let warm = 0; warm < 2; warm++) for (const contestant of Object.values(contestants)) await round(contestant);
	for (let number = 0; number < ROUNDS; number++) {
		for (const { contestant, rounds } of results) rounds.push(await round(contestant));
	}
	console.log(
		`\nInbound messages, expression engine ${expressionEngine}, ${CONNECTIONS} connections, ${POSTS} per round, median of ${ROUNDS} rounds (${load()})`,
	);
	const ofPeer = results.find(({ name }) => name === peer)?.rounds ?? [];
	for (const { name, rounds } of results) {
		/** @param {keyof Round} key */
		const of = (key) => median(rounds.map((one) => one[key]));
		/** @param {keyof Round} key */
		const ratiosOf = (key) => rounds.map((one, index) => one[key] / (ofPeer[index]?.[key] ?? Number.NaN));
		const ratios = ratiosOf('perSecond');
		console.log(
			`  ${name}: ${of('perSecond').toFixed(0)} per second, processor ${of('processorMs').toFixed(2)} ms each with its execution; ${median(ratios).toFixed(2)}x the throughput (${ratios.map((ratio) => ratio.toFixed(2)).join(', ')}) and ${median(ratiosOf('processorMs')).toFixed(2)}x the processor time of ${peer}`,
		);
	}
	await dispatcher.close();
	await endGroup(started.group);
}

await installN8n(createProgress({ total: 1 }), { install: false });
await buildPackage();
/** @type {string[]} */
const folders = [];
try {
	// With `vm`, n8n's default, n8n starts an isolated interpreter for each execution and each credential, but not for requests
	// to its own Webhook node. `legacy` shows the cost without that.
	for (const expressionEngine of ['vm', 'legacy']) {
		const folder = mkdtempSync(join(tmpdir(), 'bench-'));
		folders.push(folder);
		await main(folder, expressionEngine);
	}
} finally {
	await endAllProcesses();
	for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}
