import { execFile, execFileSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod/v4';
import { startSandbox } from '../../sandbox/server';
import { unzipSync } from '../../zapier/node_modules/fflate';
import { sandboxControl } from '../support/sandboxControl';
import { signedHeaders, stubRelay } from '../support/zapier/stubRelay';
import { driveApp, executeEvent, handler, methods, type Surroundings } from '../support/zapier/zapierTestApp';

const root = join(__dirname, '..', '..');
const node22 = join(root, 'zapier', 'node_modules', 'node', 'bin', 'node');

let work: string;
let unpacked: string;

beforeAll(() => {
	work = mkdtempSync(join(tmpdir(), 'zapier-zip-'));
	unpacked = unpack('unpacked', build('first'));
});
afterAll(() => rmSync(work, { recursive: true, force: true }));

function unpack(name: string, zip: Buffer): string {
	const folder = join(work, name);
	for (const [file, content] of Object.entries(unzipSync(zip))) {
		mkdirSync(join(folder, dirname(file)), { recursive: true });
		writeFileSync(join(folder, file), content);
	}
	return folder;
}

function build(folder: string, environment: NodeJS.ProcessEnv = {}, ...flags: string[]): Buffer {
	const out = join(work, folder);
	const env = { PATH: process.env.PATH, ...environment };
	execFileSync(process.execPath, [join(root, 'scripts', 'zapier-build.mjs'), '--out', out, ...flags], {
		env,
		cwd: work,
	});
	return readFileSync(join(out, 'build.zip'));
}

/** Runs the handler of the unpacked zip under the Node.js version of Zapier's servers. */
async function runZip(event: object, folder = unpacked): Promise<unknown> {
	const program = `require('./zapierwrapper.js').handler(JSON.parse(process.argv[1])).then(
		({ results }) => console.log('RESULT ' + JSON.stringify({ node: process.version, results })),
		({ name, message }) => console.log('RESULT ' + JSON.stringify({ node: process.version, name, message })))`;
	const { stdout } = await promisify(execFile)(node22, ['-e', program, JSON.stringify(event)], {
		cwd: folder,
		env: {},
	});
	return JSON.parse(/^RESULT (.*)$/m.exec(stdout)?.[1] ?? stdout);
}

type Definition = Readonly<Record<'creates', Readonly<Record<string, unknown>>>>;

function definitionIn(folder: string): unknown {
	return JSON.parse(readFileSync(join(folder, 'definition.json'), 'utf8'));
}

async function definitionHere(): Promise<Definition> {
	const { results } = await handler({ command: 'definition' });
	return JSON.parse(JSON.stringify(results)) as Definition;
}

describe('zip for Zapier', () => {
	it('contains only the app, wrapper, definition and the loaded files of the core', () => {
		const files = globSync('**/*', { cwd: unpacked, withFileTypes: true })
			.filter((entry) => entry.isFile())
			.map(({ parentPath, name }) => join(parentPath, name).slice(unpacked.length + 1));
		expect(files.filter((name) => !name.startsWith('node_modules/')).sort()).toEqual([
			'definition.json',
			'dist/app.js',
			'index.js',
			'package.json',
			'zapierwrapper.js',
		]);
		expect(files).toContain('node_modules/zapier-platform-core/package.json');
		expect(files.filter((name) => /\.(ts|map|md)$|node_modules\/(node|fflate|@types|undici)\//.test(name))).toEqual([]);
		expect(files.filter((name) => readFileSync(join(unpacked, name)).includes(root))).toEqual([]);
	});

	it('builds the same zip, byte for byte, in every environment', () => {
		expect(
			build('second', { TZ: 'Pacific/Auckland', HOME: work }).equals(readFileSync(join(work, 'first', 'build.zip'))),
		).toBe(true);
	});

	it("contains the app's definition without private steps", async () => {
		const { creates, ...others } = await definitionHere();
		const { create_wallet_top_up, ...publicCreates } = creates;
		expect(create_wallet_top_up).toBeDefined();
		expect(definitionIn(unpacked)).toEqual({ ...others, creates: publicCreates });
	});

	it('leaves out Create Wallet Top-Up and keeps Find Wallet Top-Up', async () => {
		const bundled = readFileSync(join(unpacked, 'dist', 'app.js'), 'utf8');
		expect(bundled).not.toMatch(/create_wallet_top_up|Create Wallet Top-Up/);
		expect(bundled).toContain('find_wallet_top_up');
		const event = executeEvent(methods.createWalletTopUp, { base_url: 'https://service.example', api_key: 'sk_1' });
		expect(await runZip(event)).toMatchObject({
			message: expect.stringContaining('Could not find the method') as string,
		});
	});

	it('includes Create Wallet Top-Up if built with --with-top-ups', async () => {
		const folder = unpack('private', build('private-build', {}, '--with-top-ups'));
		expect(definitionIn(folder)).toEqual(await definitionHere());
		expect(await runZip({ command: 'validate' }, folder)).toMatchObject({ results: [] });
	});

	it('rejects plain http to another machine, even with a sandbox key, unlike a local run', async () => {
		const account = { base_url: 'http://sandbox.example:4010', api_key: 'sk_sandbox_demo' };
		expect(await runZip(executeEvent(methods.test, account))).toMatchObject({
			name: 'AppError',
			message: expect.stringMatching(/"Base URL .*https:.*"InvalidConnection"/) as string,
		});
		const nowhere = { ...account, base_url: 'http://sandbox.invalid:4010' };
		expect(await driveApp(nowhere).failure(methods.test)).toMatchObject({ code: 'ENOTFOUND' });
	});

	it('connects, sends, searches and polls under Node 22', async () => {
		const sandbox = await startSandbox({ clock: 'stopped' });
		const control = sandboxControl(sandbox);
		try {
			const node = expect.stringMatching(/^v22\./) as string;
			const run = async (method: string, inputData = {}) =>
				await runZip(executeEvent(method, { base_url: sandbox.baseUrl, api_key: sandbox.apiKey }, inputData));
			expect(await runZip({ command: 'validate' })).toEqual({ node, results: [] });
			expect(await run(methods.test)).toMatchObject({ node, results: { balance: 40, currency: 'GHS' } });
			const sms = { to: '+233201234567', sender_id: 'KOFISHOP', message: 'Hi {{name}} 😀' };
			expect(await run(methods.sendSms, sms)).toMatchObject({ node, results: { status: 'submitted', balance: 39.95 } });
			const [message] = await control.messages();
			expect(message).toMatchObject(sms);
			const found = await run(methods.findMessage, { message_id: message?.message_id });
			expect(found).toMatchObject({ node, results: [{ message_id: message?.message_id, channel: 'sms' }] });
			await control.fault({ endpoint: 'sms.send', kind: 'drop_after' });
			expect(await run(methods.sendSms, sms)).toMatchObject({ node, name: 'HaltedError' });
			const bulk = { ...sms, to: ['+233201234568', '0201234569'], recipients_from: 'list' };
			expect(await run(methods.sendBulkSms, bulk)).toMatchObject({
				node,
				results: { outcome: 'accepted', accepted: 2 },
			});
			const low = await run(methods.lowWalletBalance, { threshold: '39.9' });
			expect(low).toMatchObject({ node, results: [{ threshold: 39.9 }] });
		} finally {
			await sandbox.stop();
		}
	}, 120_000);

	it('subscribes to a relay, lists its events and checks a signature under Node 22', async () => {
		await using relay = await stubRelay();
		const account = {
			base_url: 'https://service.example',
			api_key: 'sk_1',
			relay_url: relay.url,
			relay_token: relay.token,
		};
		const run = async (method: string, hook: Surroundings['hook']) =>
			await runZip(executeEvent(`triggers.new_inbound_sms.operation.${method}`, account, {}, { hook }));
		const inbound = { from: '+233201234567', to: 'KOFISHOP', message: 'Hours', message_id: null, keyword: null };
		await relay.publish('sms.inbound', inbound, 'evt_1');
		expect(await run('performList', {})).toMatchObject({ results: [{ id: 'evt_1' }] });
		const targetUrl = 'https://hooks.zapier.com/hooks/standard/7/1/';
		const on = z.object({ results: z.object({ id: z.string(), secret: z.string() }) });
		const { results: subscribeData } = on.parse(await run('performSubscribe', { targetUrl }));
		const headers = signedHeaders(subscribeData.secret, 'evt_1', '[]');
		expect(await run('perform', { subscribeData, rawRequest: { headers, content: '[]' } })).toMatchObject({
			results: [],
		});
		expect(await run('perform', { subscribeData, rawRequest: { headers, content: '[ ]' } })).toMatchObject({
			name: 'HaltedError',
		});
	});
});
