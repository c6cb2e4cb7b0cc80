import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod/v4';
import { contract } from '../../shared';
import { median } from './statistics.mjs';

/**
 * Measures the uploaded form of the Zapier app:
 *
 * - its load time with the Node of Zapier's servers, as a ratio to Zapier's core alone (goal: at most 1.25)
 * - the size of its zip (goal: under 1 MB)
 * - its sends per second through Zapier's handler, as a ratio to a minimal app that makes the same request
 *
 * Run: `npm run bench zapier`.
 */
const LOADS = 15;
const CALLS = 300;
const ROUNDS = 7;
const TOGETHER = 4;

// Otherwise Zapier's core prints its memory after every call.
process.env.NODE_ENV = 'test';
const root = join(import.meta.dirname, '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'bench-zapier-'));
execFileSync(process.execPath, [join(root, 'scripts', 'zapier-build.mjs'), '--out', folder], { cwd: root });
execFileSync(process.execPath, [join(root, 'scripts', 'zapier-build.mjs'), '--private', '--app-only'], { cwd: root });
const zipped = statSync(join(folder, 'build.zip')).size;
rmSync(folder, { recursive: true, force: true });
console.log(`zapier zip: ${(zipped / 1e6).toFixed(2)} MB`);

/** Measures the milliseconds to load a module in a new process. */
function load(what: string): number {
	const program = `const began = performance.now(); require(${JSON.stringify(what)}); console.log(performance.now() - began);`;
	const node22 = join(root, 'zapier', 'node_modules', 'node', 'bin', 'node');
	return Number(execFileSync(node22, ['-e', program], { cwd: join(root, 'zapier'), encoding: 'utf8' }));
}

const core: number[] = [];
const whole: number[] = [];
// In turn, so other load on the machine affects both.
for (let round = 0; round < LOADS; round++) {
	core.push(load('zapier-platform-core'));
	whole.push(load('./index.js'));
}
const ratio = median(whole) / median(core);
console.log(
	`zapier load: ${ratio.toFixed(2)}x the time of zapier-platform-core alone (${median(whole).toFixed(0)} and ${median(core).toFixed(0)} ms)`,
);

type Handler = (event: object) => Promise<{ results: unknown }>;
const anyFunction = z.custom<(...parameters: unknown[]) => unknown>((value) => typeof value === 'function');
const zapierRequire = createRequire(join(root, 'zapier', 'package.json'));
const { createAppHandler } = z
	.object({ createAppHandler: z.custom<(app: object) => Handler>((value) => anyFunction.safeParse(value).success) })
	.parse(zapierRequire('zapier-platform-core'));
// The core ends a process with more than 450 MB of memory. Zapier's servers run one app each and never use that much.
const limits = z.custom<{ KILL_MAX_LIMIT: number }>(
	(value) => z.looseObject({ KILL_MAX_LIMIT: z.number() }).safeParse(value).success,
);
limits.parse(zapierRequire('zapier-platform-core/src/constants')).KILL_MAX_LIMIT = Number.MAX_VALUE;
const ourApp = z
	.looseObject({ creates: z.looseObject({ send_sms: z.looseObject({ operation: z.looseObject({}) }) }) })
	.parse(zapierRequire('./index.js'));

const answer = JSON.stringify(contract.sms.send.example.output);
const server = createServer((incoming, response) => {
	incoming.resume().on('end', () => response.setHeader('Content-Type', 'application/json').end(answer));
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1/`;

interface Z {
	request(options: object): Promise<{ data: object }>;
}
interface Sending {
	readonly inputData: object;
	readonly authData: { readonly api_key: string };
}
const minimalApp = {
	version: '1.0.0',
	platformVersion: '19.1.0',
	creates: {
		send_sms: {
			key: 'send_sms',
			noun: 'SMS',
			display: { label: 'Send SMS', description: 'Sends a message.' },
			operation: {
				inputFields: [{ key: 'to' }, { key: 'sender_id' }, { key: 'message' }],
				perform: async (zapier: Z, { inputData, authData }: Sending) => {
					const headers = { 'X-API-Key': authData.api_key };
					const sent = await zapier.request({ url: `${base_url}sms/send`, method: 'POST', headers, body: inputData });
					return sent.data;
				},
				sample: {},
			},
		},
	},
	flags: { cleanInputData: false },
};
const event = {
	command: 'execute',
	method: 'creates.send_sms.operation.perform',
	bundle: { authData: { base_url, api_key: 'sk_sandbox_bench' }, inputData: contract.sms.send.example.input, meta: {} },
};

/** Concurrent sends per second. */
async function measure(handler: Handler): Promise<number> {
	const began = performance.now();
	let left = CALLS;
	const worker = async () => {
		while (left-- > 0) await handler(event);
	};
	await Promise.all(Array.from({ length: TOGETHER }, worker));
	return (CALLS / (performance.now() - began)) * 1000;
}

// Zapier's core reads the whole definition at every call, so this app has the same steps, with a minimal send.
const { perform } = minimalApp.creates.send_sms.operation;
const { send_sms: step } = ourApp.creates;
const sameSteps = {
	...ourApp,
	creates: { ...ourApp.creates, send_sms: { ...step, operation: { ...step.operation, perform } } },
};

const handlers = [ourApp, minimalApp, sameSteps].map((app) => createAppHandler(app));
for (const handler of handlers) await measure(handler);
const rounds: number[][] = [];
for (let round = 0; round < ROUNDS; round++) {
	const rates: number[] = [];
	for (const handler of handlers) rates.push(await measure(handler));
	rounds.push(rates);
}
const rateOf = (index: number) => median(rounds.map((rates) => rates[index] ?? Number.NaN));
const ratioTo = (index: number) =>
	median(rounds.map((rates) => (rates[0] ?? Number.NaN) / (rates[index] ?? Number.NaN)));
console.log(
	`zapier send: ${ratioTo(1).toFixed(2)}x the throughput of a minimal app, ${ratioTo(2).toFixed(2)}x of one with the same steps (${rateOf(0).toFixed(0)}, ${rateOf(1).toFixed(0)} and ${rateOf(2).toFixed(0)}/s)`,
);
server.close();
server.closeAllConnections();
