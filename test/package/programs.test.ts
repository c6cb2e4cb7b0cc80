import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod/v4';
import project from '../../package.json';
import relayManifest from '../../relay/package.json';
import { npmReadme } from '../../scripts/lib/packages/readme';
import { closedPort } from '../support/closedPort';
import { eventually } from '../support/eventually';
import { configs, dockerfiles, listOf, services } from '../support/package/images';
import { packPrograms, type PackedPrograms } from '../support/package/programPackages';
import { killPrograms, startProgram } from '../support/package/startProgram';

const root = join(__dirname, '..', '..');
/** Node 22, with which Zapier runs apps. */
const NODE_22 = join(root, 'zapier', 'node_modules', 'node', 'bin', 'node');
const names = ['messaging-service-sandbox', 'messaging-service-relay'] as const;
const manifest = z.looseObject({
	name: z.string(),
	version: z.string(),
	bin: z.record(z.string(), z.string()),
	dependencies: z.record(z.string(), z.string()),
});
const balance = z.looseObject({ balance: z.number(), currency: z.string() });

let packed: PackedPrograms;
const installed: Record<string, string> = {};

beforeAll(() => {
	packed = packPrograms();
	for (const name of names) installed[name] = packed.install(name);
}, 180_000);
afterAll(() => {
	killPrograms();
	packed.remove();
});

const command = (name: string) => join(installed[name] ?? '', 'node_modules', '.bin', name);
const filesOf = (name: string) =>
	globSync('**/*', { cwd: packed.built(name), withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map(({ parentPath, name: file }) => join(parentPath, file).slice(packed.built(name).length + 1));

describe.each(names)('the package %s', (name) => {
	it('has the version of the n8n package, and its own dependencies by exact version', () => {
		const { version, dependencies, ...own } = manifest.parse(
			JSON.parse(readFileSync(join(packed.built(name), 'package.json'), 'utf8')),
		);
		expect(own.name).toBe(name);
		expect(version).toBe(project.version);
		expect(dependencies).toEqual(name === 'messaging-service-relay' ? relayManifest.dependencies : {});
		expect(Object.values(dependencies).filter((range) => !/^\d+\.\d+\.\d+$/.test(range))).toEqual([]);
	});

	it('contains programs, pages, migrations and licenses, and no others', () => {
		const allowed = [
			/^(package\.json|npm-shrinkwrap\.json|README\.md|LICENSE|THIRD_PARTY_LICENSES\.md)$/,
			/^bin\/[\w-]+\.js$/,
			/^dist\/[\w-]+\.js$/,
			/^dist\/pages\/[\w.-]+\.(js|css|svg)$/,
			/^dist\/migrations\/\d{4}-[\w-]+\.sql$/,
		];
		expect(filesOf(name).filter((file) => !allowed.some((pattern) => pattern.test(file)))).toEqual([]);
		const source = name === 'messaging-service-relay' ? 'relay' : 'sandbox';
		const count = (pattern: string) => globSync(`${source}/${pattern}`, { cwd: root }).length;
		expect(filesOf(name).filter((file) => file.endsWith('.sql'))).toHaveLength(count('*/migrations/*.sql'));
		expect(filesOf(name).filter((file) => /pages\/.*\.js$/.test(file))).toHaveLength(count('ui/*/index.tsx'));
		const licenses = readFileSync(join(packed.built(name), 'THIRD_PARTY_LICENSES.md'), 'utf8');
		expect(licenses).toMatch(/^## libphonenumber-js \d[\s\S]*^## preact \d/m);
	});

	it('has no path of the machine that built it, and refers to no missing source map', () => {
		const texts = filesOf(name).map((file) => [file, readFileSync(join(packed.built(name), file), 'utf8')] as const);
		expect(texts.filter(([, text]) => text.includes(root)).map(([file]) => file)).toEqual([]);
		expect(texts.filter(([, text]) => text.includes('# sourceMappingURL=')).map(([file]) => file)).toEqual([]);
	});

	it('pins what its dependencies need, as they were tested', () => {
		const file = join(packed.built(name), 'npm-shrinkwrap.json');
		const entry = z.looseObject({ version: z.string().optional(), dev: z.boolean().default(false) });
		const lock = z.object({ packages: z.record(z.string(), entry) });
		const versions = (path: string) =>
			Object.entries(lock.parse(JSON.parse(readFileSync(path, 'utf8'))).packages)
				.filter(([place, { dev }]) => place !== '' && !dev)
				.map(([place, { version }]) => `${place} ${version ?? 'without a version'}`);
		const pinned = existsSync(file) ? versions(file) : [];
		const tested = name === 'messaging-service-relay' ? versions(join(root, 'relay', 'package-lock.json')) : [];
		expect(pinned).toEqual(tested);
	});

	it('has a README whose links work on npm', () => {
		const readme = readFileSync(join(packed.built(name), 'README.md'), 'utf8');
		const targets = [...readme.matchAll(/\]\(([^)]*)\)/g)].map(([, target = '']) => target);
		expect(targets.filter((target) => !/^(https?:|#)/.test(target))).toEqual([]);
	});

	it('says which Node.js it needs, if it is too old', () => {
		const old = join(installed[name] ?? '', 'old.js');
		writeFileSync(
			old,
			`Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '22.9.0' } });`,
		);
		const run = spawnSync(process.execPath, ['--require', old, command(name)], { encoding: 'utf8' });
		expect(run).toMatchObject({ status: 1, stdout: '' });
		expect(run.stderr).toMatch(/^[\w-]+ needs Node\.js 22\.\d+ or later\. This is 22\.9\.0\. .*\n$/);
	});
});

describe('the installed sandbox', () => {
	it.each([
		['Node.js 24', process.execPath],
		['Node.js 22', NODE_22],
	])('answers calls and shows its pages on %s', async (_, node) => {
		const folder = installed['messaging-service-sandbox'] ?? '';
		const sandbox = await startProgram([node, command('messaging-service-sandbox'), '--port', '0'], { cwd: folder });
		const read = async (path: string) =>
			await fetch(sandbox.url + path, { headers: { 'x-api-key': 'sk_sandbox_demo' } });
		expect(balance.parse(await (await read('/api/v1/balance')).json())).toMatchObject({ balance: 40, currency: 'GHS' });
		for (const page of ['/', '/phone', '/checkout/ref_1']) {
			const html = await (await read(page)).text();
			const files = [...html.matchAll(/(?:src|href)="\/?(ui\/[\w.-]+)"/g)].map(([, file = '']) => file);
			expect(files).toHaveLength(3);
			for (const file of files) expect([file, (await read(`/${file}`)).status]).toEqual([file, 200]);
		}
		expect(await sandbox.stop()).toEqual({ code: 0, errors: '' });
	});

	it('is complete without other packages', () => {
		expect(globSync('*', { cwd: join(installed['messaging-service-sandbox'] ?? '', 'node_modules') })).toEqual([
			'messaging-service-sandbox',
		]);
	});
});

describe('the installed doctor', () => {
	it('checks the account of the sandbox that runs it, and writes its report and the shapes', () => {
		const doctor = join(
			installed['messaging-service-sandbox'] ?? '',
			'node_modules',
			'.bin',
			'messaging-service-doctor',
		);
		const folder = join(installed['messaging-service-sandbox'] ?? '', 'doctor');
		mkdirSync(folder);
		const args = ['exec', '--', doctor];
		const run = spawnSync(command('messaging-service-sandbox'), args, { cwd: folder, encoding: 'utf8' });
		expect([run.status, run.stderr]).toEqual([0, '']);
		expect(readFileSync(join(folder, 'doctor-report.md'), 'utf8')).toMatch(/\| ok /);
		expect(existsSync(join(folder, 'doctor-shapes.json'))).toBe(true);
	});
});

describe('docs/testing.md', () => {
	const page = readFileSync(join(root, 'docs', 'testing.md'), 'utf8');
	const commands = [...page.matchAll(/^```bash\n([\s\S]*?)^```/gm)].flatMap(([, block = '']) =>
		block.trim().split('\n'),
	);
	const files = [...page.matchAll(/Save this as `([\w.]+)`:\n\n```\w+\n([\s\S]*?)^```/gm)];
	const isInstalled = (program: string) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
	const outputs: Readonly<Record<string, RegExp>> = {
		'--help': /--seed FILE/,
		'}balance': /"balance":40,/,
		'-- sh send.sh': /^\{.*"status":"submitted"/,
		'--seed seed.yaml': /^\{.*"server_error".*\}\{.*"balance":0.07/,
		'node --test': /pass 1/,
		python3: /^submitted\n$/,
		'go test': /ok/,
		php: /^submitted\n$/,
	};

	it('has an expected output for each command', () => {
		expect(commands.map((line) => Object.keys(outputs).filter((part) => line.includes(part)))).toEqual(
			Object.keys(outputs).map((part) => [part]),
		);
	});

	const missing = (line: string) => {
		const program = / -- (go|php|python3) /.exec(line)?.[1];
		return program === undefined || isInstalled(program) ? undefined : program;
	};
	const ready = commands.filter((line) => missing(line) === undefined);
	const skipped = commands.filter((line) => missing(line) !== undefined);
	if (skipped.length > 0)
		it.skip.each(skipped.map((line) => [line, missing(line)]))('%s: skipped without %s', () => {});

	it.each(ready)('%s works as the page says', (line) => {
		const folder = installed['messaging-service-sandbox'] ?? '';
		for (const [, name = '', content = ''] of files) writeFileSync(join(folder, name), content);
		const env = { ...process.env, npm_config_loglevel: 'error' };
		const run = spawnSync('bash', ['--norc', '-euo', 'pipefail', '-c', line], { cwd: folder, env, encoding: 'utf8' });
		const [, expected] = Object.entries(outputs).find(([part]) => line.includes(part)) ?? [];
		expect([run.status, run.stderr]).toEqual([0, '']);
		expect(run.stdout).toMatch(expected ?? 'an expected output');
	});
});

describe('the installed relay', () => {
	it('starts with an embedded database, and is ready with the same data after a restart', async () => {
		const folder = join(installed['messaging-service-relay'] ?? '', 'data');
		mkdirSync(folder);
		const start = async () =>
			await startProgram([command('messaging-service-relay'), '--port', '0', '--folder', folder], { cwd: folder });
		const first = await start();
		expect(first.introduction.join('\n')).toMatch(/Admin Token\s+rly_/);
		expect((await fetch(`${first.url}/readyz`)).status).toBe(200);
		const html = await (await fetch(first.url)).text();
		const files = [...html.matchAll(/(?:src|href)="\.\/(ui\/[\w.-]+)"/g)].map(([, file = '']) => file);
		expect(files).toHaveLength(3);
		for (const file of files) expect([file, (await fetch(`${first.url}/${file}`)).status]).toEqual([file, 200]);
		expect(await first.stop()).toEqual({ code: 0, errors: '' });

		const second = await start();
		expect(second.introduction.join('\n')).not.toContain('Admin Token');
		expect((await fetch(`${second.url}/readyz`)).status).toBe(200);
		expect(await second.stop()).toEqual({ code: 0, errors: '' });
	}, 120_000);

	it('prints its options without a database', () => {
		const help = execFileSync(command('messaging-service-relay'), ['--help'], { encoding: 'utf8' });
		expect(help).toContain('--folder PATH');
		expect(existsSync(join(installed['messaging-service-relay'] ?? '', 'relay-data'))).toBe(false);
	});
});

describe('the commands of the images', () => {
	let work: string;
	beforeAll(() => (work = mkdtempSync(join(tmpdir(), 'images-'))));
	afterAll(() => rmSync(work, { recursive: true, force: true }));

	/** Puts the paths and ports of the containers on this machine. */
	const here = (text: string, ports: Readonly<Record<string, number>>) =>
		Object.entries(ports)
			.reduce((changed, [port, free]) => changed.replaceAll(`:${port}`, `:${free}`), text)
			.replaceAll('0.0.0.0', '127.0.0.1')
			.replace(/^\/(data|seed\.yaml)/, `${work}/$1`);

	it('the sandbox starts with its seed, and its messages reach the relay', async () => {
		const ports = { 4010: await closedPort(), 4400: await closedPort() };
		const place = (words: readonly string[]) => words.map((word) => here(word, ports));
		const [node, ...sandboxArgs] = place([
			...listOf(dockerfiles.sandbox, 'ENTRYPOINT'),
			...(services.sandbox.command ?? []),
		]);
		mkdirSync(join(work, 'data'));
		writeFileSync(join(work, 'seed.yaml'), here(configs.seed?.content ?? '', ports));
		const sandbox = await startProgram([node ?? '', ...sandboxArgs, '--port', String(ports[4010])], {
			cwd: installed['messaging-service-sandbox'],
		});

		const variables = /^ENV (.*)$/m.exec(dockerfiles.relay.slice(dockerfiles.relay.lastIndexOf('\nFROM')))?.[1] ?? '';
		// Without PostgreSQL, the relay uses its embedded database.
		const settings = Object.entries(services.relay.environment).filter(([name]) => name !== 'DATABASE_URL');
		const given = [...variables.split(' ').map((pair) => pair.split('=')), ...settings];
		const env = Object.fromEntries(given.map(([name = '', value = '']) => [name, here(value, ports)]));
		const [program, ...relayArgs] = listOf(dockerfiles.relay, 'ENTRYPOINT');
		const relay = await startProgram([program ?? '', ...relayArgs, '--port', String(ports[4400])], {
			cwd: installed['messaging-service-relay'],
			env,
		});

		for (const dockerfile of Object.values(dockerfiles)) {
			const [check = '', ...rest] = place(listOf(dockerfile, 'HEALTHCHECK'));
			expect(spawnSync(check, rest, { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
		}
		const number = encodeURIComponent('+233201234567');
		await fetch(`${sandbox.url}/_sandbox/phones/${number}/texts`, {
			method: 'POST',
			body: JSON.stringify({ to: 'KOFISHOP', message: 'STOP' }),
		});
		await fetch(`${sandbox.url}/_sandbox/settle`, { method: 'POST' });
		const token = /Admin Token\s+(\S+)/.exec(relay.introduction.join('\n'))?.[1] ?? '';
		const events = await fetch(`${relay.url}/v1/events`, { headers: { authorization: `Bearer ${token}` } });
		expect(JSON.stringify(await events.json())).toContain('"sms.inbound"');
		await eventually('the opt-out in the sandbox', async () => {
			const optOuts = await (await fetch(`${sandbox.url}/_sandbox/opt-outs`)).text();
			return optOuts.includes('+233201234567') || undefined;
		});

		expect(await relay.stop()).toEqual({ code: 0, errors: '' });
		expect(await sandbox.stop()).toEqual({ code: 0, errors: '' });
		const [check = '', ...rest] = place(listOf(dockerfiles.relay, 'HEALTHCHECK'));
		expect(spawnSync(check, rest)).toMatchObject({ status: 1 });
	}, 120_000);
});

describe('the README on npm', () => {
	const readme =
		'See [relay](../docs/relay.md#api), [here](#start), [n8n](https://n8n.io) and `[a](b)`.\n\n![A page](../docs/a.png)\n\nEnd';
	it('leads to the repository', () => {
		const repository = 'https://github.example/owner/name';
		expect(npmReadme(readme, { repository, folder: 'relay' })).toBe(
			`See [relay](${repository}/blob/main/docs/relay.md#api), [here](#start), [n8n](https://n8n.io) and \`[a](b)\`.\n\n![A page](${repository}/raw/main/docs/a.png)\n\nEnd`,
		);
	});

	it('has text instead of links while the repository has no address', () => {
		expect(npmReadme(readme, { repository: undefined, folder: 'relay' })).toBe(
			'See relay, [here](#start), [n8n](https://n8n.io) and `[a](b)`.\n\nEnd',
		);
	});
});
