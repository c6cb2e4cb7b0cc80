import { execFile, execFileSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod/v4';
import { startSandbox } from '../../sandbox/server';
import { unzipSync } from '../../zapier/node_modules/fflate';
import { sandboxControl } from '../support/sandboxControl';
import { startTlsFront } from '../support/tlsFront';
import { signedHeaders, stubRelay } from '../support/zapier/stubRelay';
import { driveApp, executeEvent, handler, methods, type Surroundings } from '../support/zapier/zapierTestApp';

const root = join(__dirname, '..', '..');
const zapier = join(root, 'zapier');
const node22 = join(zapier, 'node_modules', 'node', 'bin', 'node');

let work: string;
/** The public app, and the private one. */
let unpacked: string;
let privateApp: string;

beforeAll(() => {
	work = mkdtempSync(join(tmpdir(), 'zapier-zip-'));
	unpacked = unpack('unpacked', build('first', {}, '--owner', owner()));
	privateApp = unpack('private', build('private-build', {}, '--private'));
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

/** Writes an `owner.json` with the settings of the public app. */
function owner(zapierApiHost = '', zapierKeysPage = ''): string {
	const file = join(work, `owner-${zapierApiHost}.json`);
	writeFileSync(file, JSON.stringify({ zapierApiHost, zapierKeysPage }));
	return file;
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

/** Keeps the builds that a person made. @returns puts them back */
function keepBuilds(): () => void {
	const folders = ['build', 'dist'].map((name) => ({ made: join(zapier, name), kept: join(work, `kept-${name}`) }));
	for (const { made, kept } of folders) if (existsSync(made)) cpSync(made, kept, { recursive: true });
	return () => {
		for (const { made, kept } of folders) {
			rmSync(made, { recursive: true, force: true });
			if (existsSync(kept)) cpSync(kept, made, { recursive: true });
		}
	};
}

/** Runs the handler of the unpacked zip under the Node.js version of Zapier's servers. */
async function runZip(event: object, folder = unpacked, env: NodeJS.ProcessEnv = {}): Promise<unknown> {
	const program = `require('./zapierwrapper.js').handler(JSON.parse(process.argv[1])).then(
		({ results }) => console.log('RESULT ' + JSON.stringify({ node: process.version, results })),
		({ name, message }) => console.log('RESULT ' + JSON.stringify({ node: process.version, name, message })))`;
	const { stdout } = await promisify(execFile)(node22, ['-e', program, JSON.stringify(event)], {
		cwd: folder,
		env,
	});
	return JSON.parse(/^RESULT (.*)$/m.exec(stdout)?.[1] ?? stdout);
}

const connection = z.looseObject({
	authentication: z.looseObject({
		fields: z.array(z.looseObject({ key: z.string(), default: z.string().optional(), helpText: z.string() })),
	}),
});

type Definition = Readonly<Record<'creates' | 'searches', Readonly<Record<string, unknown>>>>;

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
			build('second', { TZ: 'Pacific/Auckland', HOME: work }, '--owner', owner(), '--public').equals(
				readFileSync(join(work, 'first', 'build.zip')),
			),
		).toBe(true);
	});

	it("contains the app's definition without private steps", async () => {
		const { creates, searches, ...others } = await definitionHere();
		const { create_wallet_top_up, ...publicCreates } = creates;
		const { find_wallet_top_up, ...publicSearches } = searches;
		expect([create_wallet_top_up, find_wallet_top_up]).not.toContain(undefined);
		expect(definitionIn(unpacked)).toEqual({ ...others, creates: publicCreates, searches: publicSearches });
	});

	it('leaves out Create and Find Wallet Top-Up', async () => {
		const bundled = readFileSync(join(unpacked, 'dist', 'app.js'), 'utf8');
		expect(bundled).not.toMatch(/(create|find)_wallet_top_up|(Create|Find) Wallet Top-Up/);
		const event = executeEvent(methods.createWalletTopUp, { base_url: 'https://service.example', api_key: 'sk_1' });
		expect(await runZip(event)).toMatchObject({
			message: expect.stringContaining('Could not find the method') as string,
		});
	});

	it('includes Create Wallet Top-Up if built with --private', async () => {
		expect(definitionIn(privateApp)).toEqual(await definitionHere());
		expect(await runZip({ command: 'validate' }, privateApp)).toMatchObject({ results: [] });
	});

	it('rejects plain http to another machine, even with a sandbox key, unlike a local run', async () => {
		const account = { base_url: 'http://sandbox.example:4010', api_key: 'sk_sandbox_demo' };
		for (const folder of [unpacked, privateApp]) {
			expect(await runZip(executeEvent(methods.test, account), folder)).toMatchObject({
				name: 'AppError',
				message: expect.stringMatching(/"Base URL .*https:.*"InvalidConnection"/) as string,
			});
		}
		const nowhere = { ...account, base_url: 'http://sandbox.invalid:4010' };
		expect(await driveApp(nowhere).failure(methods.test)).toMatchObject({ code: 'ENOTFOUND' });
	});

	it('the public app rejects plain http to this machine too, in Base URL and in Relay URL', async () => {
		await using relay = await stubRelay();
		const account = { base_url: 'http://127.0.0.1:4010', api_key: 'sk_1' };
		expect(await runZip(executeEvent(methods.test, account))).toMatchObject({
			name: 'AppError',
			message: expect.stringContaining('Base URL is plain http, which this app does not allow: use https://') as string,
		});
		const other = {
			base_url: 'https://service.example',
			api_key: 'sk_1',
			relay_url: relay.url,
			relay_token: relay.token,
		};
		const list = executeEvent('triggers.new_inbound_sms.operation.performList', other);
		expect(await runZip(list)).toMatchObject({
			name: 'AppError',
			message: expect.stringContaining('Relay URL is plain http') as string,
		});
		expect(await runZip(list, privateApp)).toMatchObject({ results: [] });
	});

	it('the private app rejects a relay on another machine of the network by plain http', async () => {
		for (const address of ['192.168.0.10', '10.0.0.1', '[fd00::1]', 'relay.example']) {
			const account = {
				base_url: 'https://service.example',
				api_key: 'sk_1',
				relay_url: `http://${address}:4020`,
				relay_token: 'rly_1',
			};
			const list = executeEvent('triggers.new_inbound_sms.operation.performList', account);
			expect(await runZip(list, privateApp)).toMatchObject({
				name: 'AppError',
				message: expect.stringContaining('Relay URL is plain http') as string,
			});
		}
	}, 60_000);

	it('the public app with one host connects to no other, fills it in, and links to the keys (D002)', async () => {
		const sandbox = await startSandbox({ clock: 'stopped' });
		const trusted = join(work, 'one-host.pem');
		await using front = await startTlsFront(new URL(sandbox.baseUrl).origin, trusted);
		try {
			const folder = unpack(
				'one-host',
				build('one-host-build', {}, '--owner', owner(front.host, 'https://acme.test/keys')),
			);
			const run = async (base_url: string, method: string, inputData = {}) =>
				await runZip(executeEvent(method, { base_url, api_key: sandbox.apiKey }, inputData), folder, {
					NODE_EXTRA_CA_CERTS: trusted,
				});
			expect(await run(`https://${front.host}`, methods.test)).toMatchObject({ results: { balance: 40 } });
			const elsewhere = {
				name: 'AppError',
				message: expect.stringContaining(
					`Base URL must be https://${front.host}/api/v1/: this app connects to no other host`,
				) as string,
			};
			const sms = { to: '+233201234567', sender_id: 'KOFISHOP', message: 'Hi' };
			for (const other of [sandbox.baseUrl, 'https://service.example', 'https://localhost.evil.example']) {
				expect(await run(other, methods.test)).toMatchObject(elsewhere);
				expect(await run(other, methods.sendSms, sms)).toMatchObject(elsewhere);
			}
			expect(await sandboxControl(sandbox).messages()).toEqual([]);
			const { authentication } = connection.parse(definitionIn(folder));
			const fields = Object.fromEntries(authentication.fields.map((field) => [field.key, field]));
			expect(fields.base_url?.default).toBe(`https://${front.host}/api/v1/`);
			expect(Object.keys(fields)).not.toContain('base_url_is_relay');
			expect(fields.api_key?.helpText).toContain('[the dashboard of your account](https://acme.test/keys)');
			expect(await runZip({ command: 'validate' }, folder)).toMatchObject({ results: [] });
		} finally {
			await sandbox.stop();
		}
	}, 120_000);

	it("makes the edition of the last build in Zapier's own build, such as that of zapier-platform push", () => {
		const restore = keepBuilds();
		const own = z
			.object({ scripts: z.object({ '_zapier-build': z.string() }) })
			.parse(JSON.parse(readFileSync(join(zapier, 'package.json'), 'utf8')));
		const [, ...step] = own.scripts['_zapier-build'].split(' ');
		const run = (...parameters: string[]) => execFileSync(process.execPath, parameters, { cwd: zapier });
		const script = join(root, 'scripts', 'zapier-build.mjs');
		const builtByZapier = () => {
			run(...step);
			const app = readFileSync(join(zapier, 'dist', 'app.js'), 'utf8');
			return app.includes('create_wallet_top_up') ? 'private' : 'public';
		};
		try {
			run(script, '--private');
			// Another folder is not what Zapier uploads.
			build('elsewhere', {}, '--owner', owner());
			expect(builtByZapier()).toBe('private');
			run(script, '--owner', owner());
			expect(builtByZapier()).toBe('public');
		} finally {
			restore();
		}
	}, 120_000);

	it('rejects --public with --private', () => {
		expect(() => build('both', {}, '--private', '--public')).toThrow('Choose --public or --private.');
	});

	it.each([
		['public', 'https'],
		['private', 'http'],
	])(
		'the %s app connects, sends, searches and polls by %s under Node 22',
		async (_, scheme) => {
			const sandbox = await startSandbox({ clock: 'stopped' });
			const trusted = join(work, 'sandbox.pem');
			await using front = await startTlsFront(new URL(sandbox.baseUrl).origin, trusted);
			const base_url = scheme === 'https' ? `https://${front.host}/api/v1/` : sandbox.baseUrl;
			const folder = scheme === 'https' ? unpacked : privateApp;
			const env = { NODE_EXTRA_CA_CERTS: trusted };
			const control = sandboxControl(sandbox);
			try {
				const node = expect.stringMatching(/^v22\./) as string;
				const run = async (method: string, inputData = {}) =>
					await runZip(executeEvent(method, { base_url, api_key: sandbox.apiKey }, inputData), folder, env);
				expect(await runZip({ command: 'validate' }, folder)).toEqual({ node, results: [] });
				expect(await run(methods.test)).toMatchObject({ node, results: { balance: 40, currency: 'GHS' } });
				const sms = { to: '+233201234567', sender_id: 'KOFISHOP', message: 'Hi {name} 😀' };
				expect(await run(methods.sendSms, sms)).toMatchObject({
					node,
					results: { status: 'submitted', balance: 39.95 },
				});
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
		},
		120_000,
	);

	it('sends the SMS of the first page of the docs, built and connected as the page says', async () => {
		const source = readFileSync(join(root, 'site', 'index.md'), 'utf8');
		const [, path = ''] = /^## Zapier$([\s\S]*?)^## /m.exec(source) ?? [];
		const flags = /npm run zapier:build -- (.+)$/m.exec(path)?.[1]?.split(' ') ?? [];
		const account = Object.fromEntries(
			[...path.matchAll(/export authData_(\w+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value]),
		);
		const [, step = '', inputData = ''] = /invoke create (\w+) [\s\S]*?--inputData '(.+)'/.exec(path) ?? [];
		const sandbox = await startSandbox();
		try {
			expect(flags).toEqual(['--private']);
			const authData = { ...account, base_url: account.base_url?.replace('http://127.0.0.1:4010', sandbox.url) };
			const event = executeEvent(
				`creates.${step}.operation.perform`,
				authData,
				z.record(z.string(), z.string()).parse(JSON.parse(inputData)),
			);
			expect(await runZip(event, privateApp)).toMatchObject({ results: { outcome: 'accepted' } });
			expect(await sandboxControl(sandbox).messages()).toMatchObject([{ to: '+233201234567', message: 'Hello' }]);
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
			await runZip(executeEvent(`triggers.new_inbound_sms.operation.${method}`, account, {}, { hook }), privateApp);
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
