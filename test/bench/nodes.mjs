import { build } from 'esbuild';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installN8n } from '../../scripts/lib/install/n8n.mjs';
import { buildPackage } from '../../scripts/lib/n8n/package.mjs';
import { n8nServerFolder, projectFolder } from '../../scripts/lib/paths.mjs';
import { createProgress } from '../../scripts/lib/bootstrap/progress.mjs';
import { startPart } from './processes.mjs';
import { load, median } from './statistics.mjs';

/**
 * Compares SMS > Send with n8n's HTTP Request and Twilio nodes in one n8n engine, with the same items and transport. The
 * server responds after 0 or 50 ms. Twilio's address is fixed, so in that comparison all nodes use one TLS proxy. Then
 * measures a bulk send, memory and load time. Checks each run: every item once, in order. docs/benchmarks.md has the results.
 * Run: `npm run bench nodes`, or parts of it: `npm run bench nodes direct loading`.
 */
const COUNT = 1_000;
const BULK = 10_000;
const MANY = 50_000;
const asked = process.argv.slice(2);

/** @typedef {Awaited<ReturnType<typeof startPart>>} Part */
/** @typedef {{ node: string, options: object }} Contestant what the engine runs */
/** @typedef {{ ms: number, processorMs: number, heapMb: number, rssMb: number }} Report of a run */

/**
 * @param {number} [parallelRequests]
 * @returns {Contestant}
 */
const sms = (parallelRequests) => ({ node: 'send', options: parallelRequests ? { parallelRequests } : {} });
/**
 * @param {number} [batchSize]
 * @param {number} [batchInterval] milliseconds
 * @returns {Contestant}
 */
const http = (batchSize, batchInterval) => ({
	node: 'httpRequest',
	options: batchSize ? { batching: { batch: { batchSize, batchInterval } } } : {},
});
const ours = {
	'Send by default': sms(),
	'Send, Parallel Requests 50': sms(50),
	'Send, Parallel Requests 250': sms(250),
};
const everything = { 'HTTP Request by default': http() };
const twilio = { Twilio: { node: 'twilio', options: {} } };
const batched = { 'HTTP Request, 10 every 50 ms': http(10, 50), 'HTTP Request, 50 every 50 ms': http(50, 50) };

/**
 * Bundles the parts in a folder that links to n8n's `node_modules`: one n8n-core and one n8n-workflow for all nodes.
 *
 * @param {string} folder
 */
async function stage(folder) {
	cpSync(join(projectFolder, 'dist'), join(folder, 'dist'), { recursive: true });
	cpSync(join(projectFolder, 'package.json'), join(folder, 'package.json'));
	symlinkSync(join(n8nServerFolder, 'node_modules'), join(folder, 'node_modules'));
	await build({
		entryPoints: ['n8nEngine', 'loadTime'].map((name) => join(projectFolder, 'test', 'bench', `${name}.mts`)),
		outdir: folder,
		outExtension: { '.js': '.cjs' },
		bundle: true,
		platform: 'node',
		format: 'cjs',
		packages: 'external',
		logLevel: 'error',
	});
	await build({
		entryPoints: [join(projectFolder, 'test', 'bench', 'latentService.mts')],
		outfile: join(folder, 'latentService.mjs'),
		bundle: true,
		platform: 'node',
		format: 'esm',
		packages: 'external',
		logLevel: 'error',
	});
	const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
	const names = 'subjectAltName=DNS:api.twilio.com,DNS:service.bench';
	const subject = ['-subj', '/CN=service.bench', '-addext', names, '-keyout', key, '-out', certificate];
	const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
	execFileSync('openssl', ['req', '-x509', ...curve, '-nodes', '-days', '2', ...subject], { stdio: 'ignore' });
	return { key, certificate };
}

/** @param {string} folder */
async function main(folder) {
	const { key, certificate } = await stage(folder);
	const service = await startPart(join(folder, 'latentService.mjs'), [key, certificate]);
	const { plainPort, proxyPort } = service.first;
	const direct = `http://127.0.0.1:${plainPort}/api/v1/`;

	/**
	 * @param {string} baseUrl
	 * @param {Record<string, string>} [env]
	 */
	const startEngine = (baseUrl, env = {}) =>
		startPart(join(folder, 'n8nEngine.cjs'), [folder, baseUrl], {
			execArgv: ['--expose-gc'],
			env: {
				PATH: process.env.PATH,
				N8N_USER_FOLDER: folder,
				N8N_ENCRYPTION_KEY: 'bench',
				N8N_LOG_LEVEL: 'silent',
				...env,
			},
		});
	/**
	 * @param {Part} engine
	 * @param {Contestant} contestant
	 * @param {number} count
	 * @returns {Promise<Report>}
	 */
	const run = async (engine, { node, options }, count) => await engine.ask({ node, count, options });

	/**
	 * Runs all contestants in turn, so other load on the machine affects all of them.
	 *
	 * @param {string} title
	 * @param {Part} engine
	 * @param {number} latencyMs
	 * @param {number} rounds
	 * @param {Record<string, Contestant>} contestants
	 * @param {string} peer the contestant to compare with
	 */
	async function compare(title, engine, latencyMs, rounds, contestants, peer) {
		await service.ask({ latencyMs: 0 });
		for (const contestant of Object.values(contestants)) await run(engine, contestant, COUNT);
		await service.ask({ latencyMs });
		const results = Object.entries(contestants).map(([name, contestant]) => ({
			name,
			contestant,
			/** @type {Report[]} */
			reports: [],
			atOnce: 0,
		}));
		for (let round = 0; round < rounds; round++) {
			for (const result of results) {
				const { name, contestant } = result;
				result.reports.push(await run(engine, contestant, COUNT));
				const { received, mostInFlight } = await service.ask({ latencyMs });
				if (received !== COUNT) throw new Error(`${name}: the service received ${received} messages of ${COUNT}`);
				result.atOnce = mostInFlight;
			}
		}
		console.log(`\n${title}, ${latencyMs} ms, ${COUNT} items, median of ${rounds} rounds (${load()})`);
		const ofPeer = results.find(({ name }) => name === peer)?.reports ?? [];
		for (const { name, reports, atOnce } of results) {
			const seconds = (median(reports.map(({ ms }) => ms)) / 1000).toFixed(2);
			const processor = (median(reports.map(({ processorMs }) => processorMs)) / 1000).toFixed(2);
			/** @param {keyof Report} key */
			const ratio = (key) =>
				median(reports.map((report, round) => report[key] / (ofPeer[round]?.[key] ?? Number.NaN))).toFixed(2);
			console.log(
				`  ${name}: ${seconds} s, processor ${processor} s; ${ratio('ms')}x the time and ${ratio('processorMs')}x the processor time of ${peer}; at most ${atOnce} in flight`,
			);
		}
	}

	const parts = {
		async direct() {
			const engine = await startEngine(direct);
			const all = { ...ours, ...everything };
			await compare('Plain HTTP', engine, 0, 7, all, 'HTTP Request by default');
			await compare('Plain HTTP', engine, 50, 5, { ...all, ...batched }, 'HTTP Request by default');
			await engine.stop();
		},
		async proxied() {
			const engine = await startEngine('https://service.bench/api/v1/', {
				HTTPS_PROXY: `http://127.0.0.1:${proxyPort}`,
				NODE_EXTRA_CA_CERTS: certificate,
			});
			const all = { ...ours, ...everything, ...twilio };
			await compare('TLS proxy', engine, 0, 5, all, 'Twilio');
			await compare('TLS proxy', engine, 50, 3, all, 'Twilio');
			await engine.stop();
		},
		async bulk() {
			const engine = await startEngine(direct);
			await service.ask({ latencyMs: 50 });
			const bulk = { node: 'sendBulk', options: {} };
			await run(engine, bulk, COUNT);
			await service.ask({ latencyMs: 50 });
			/** @type {Report[]} */
			const reports = [];
			for (let round = 0; round < 3; round++) reports.push(await run(engine, bulk, BULK));
			const { received } = await service.ask({ latencyMs: 0 });
			/** @param {keyof Report} key */
			const seconds = (key) => (median(reports.map((report) => report[key])) / 1000).toFixed(2);
			console.log(
				`\nSend Bulk, 50 ms, ${BULK} items with one recipient each, ${received / 3} requests (${load()}): ${seconds('ms')} s, processor ${seconds('processorMs')} s`,
			);
			await engine.stop();
		},
		async memory() {
			await service.ask({ latencyMs: 0 });
			const steady = { 'HTTP Request, 50 every 50 ms': http(50, 50) };
			for (const [name, contestant] of Object.entries({ 'Send by default': sms(), ...everything, ...steady })) {
				const engine = await startEngine(direct);
				const before = await run(engine, contestant, 100);
				const report = await run(engine, contestant, MANY).catch((/** @type {Error} */ error) => error);
				if (report instanceof Error) {
					console.log(`\nMemory, ${MANY} items, ${name}: ${report.message} (${load()})`);
				} else {
					/** @param {keyof Report} key */
					const grown = (key) => `${report[key].toFixed(0)} MB (${before[key].toFixed(0)} with 100)`;
					console.log(
						`\nMemory, ${MANY} items, ${name}: heap at most ${grown('heapMb')}, resident ${grown('rssMb')}; ${(report.ms / 1000).toFixed(0)} s (${load()})`,
					);
				}
				await engine.stop();
				await service.ask({ latencyMs: 0 });
			}
		},
		async loading() {
			/** @param {string} name */
			const node = (name) =>
				join(n8nServerFolder, 'node_modules', 'n8n-nodes-base', 'dist', 'nodes', `${name}.node.js`);
			/** @param {string} name */
			const own = (name) => [join(folder, 'dist', 'nodes', 'MessagingService', `${name}.node.js`), name];
			const files = {
				'Messaging Service': own('MessagingService'),
				'Messaging Service Trigger': own('MessagingServiceTrigger'),
				'HTTP Request': [node('HttpRequest/HttpRequest'), 'HttpRequest'],
				Twilio: [node('Twilio/Twilio'), 'Twilio'],
				Slack: [node('Slack/Slack'), 'Slack'],
			};
			const results = Object.entries(files).map(([name, file]) => ({
				name,
				file,
				/** @type {number[]} */
				times: [],
			}));
			for (let round = 0; round < 7; round++) {
				for (const { file, times } of results) {
					const part = await startPart(join(folder, 'loadTime.cjs'), file);
					times.push(part.first);
					await part.stop();
				}
			}
			const shown = results.map(({ name, times }) => `${name} ${median(times).toFixed(0)} ms`);
			console.log(`\nLoading a node after n8n-core, median of 7 (${load()}): ${shown.join(', ')}`);
		},
	};
	for (const [name, part] of Object.entries(parts)) {
		if (asked.length === 0 || asked.includes(name)) await part();
	}
	await service.stop();
}

await installN8n(createProgress({ total: 1 }), { install: false });
await buildPackage();
const folder = mkdtempSync(join(tmpdir(), 'bench-'));
try {
	await main(folder);
} finally {
	rmSync(folder, { recursive: true, force: true });
}
