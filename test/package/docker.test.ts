import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { validate, ValidationSeverity } from 'dockerfile-utils';
import { parse } from 'yaml';
import { z } from 'zod/v4';
import { HELP } from '../../relay/settings';
import project from '../../package.json';
import n8nServer from '../../scripts/n8n-server/package.json';
import { closedPort } from '../support/closedPort';
import { eventually } from '../support/eventually';
import { packPrograms, type PackedPrograms } from '../support/package/programPackages';
import { killPrograms, startProgram } from '../support/package/startProgram';

const root = join(__dirname, '..', '..');
const read = (name: string) => readFileSync(join(root, 'docker', name), 'utf8');
const dockerfiles = { sandbox: read('sandbox.Dockerfile'), relay: read('relay.Dockerfile') };

/** The parts of a Compose file that ours uses. Any other key fails. */
const service = z.strictObject({
	image: z.string(),
	build: z.strictObject({ dockerfile_inline: z.string() }).optional(),
	command: z.array(z.string()).optional(),
	environment: z.record(z.string(), z.string()).default({}),
	configs: z.array(z.strictObject({ source: z.string(), target: z.string() })).default([]),
	volumes: z.array(z.string()).default([]),
	ports: z.array(z.string()).default([]),
	network_mode: z.literal('service:sandbox').optional(),
	init: z.boolean().optional(),
	restart: z.literal('unless-stopped').optional(),
	healthcheck: z
		.strictObject({
			test: z.tuple([z.literal('CMD')], z.string()),
			interval: z.string(),
			timeout: z.string(),
			start_period: z.string(),
		})
		.optional(),
	depends_on: z
		.record(
			z.string(),
			z.strictObject({
				condition: z.enum(['service_healthy', 'service_completed_successfully']),
				restart: z.boolean().optional(),
			}),
		)
		.default({}),
});
const composeFile = z.strictObject({
	name: z.string(),
	services: z.strictObject({
		sandbox: service,
		relay: service,
		'install-node': service,
		n8n: service,
		postgres: service,
	}),
	configs: z.record(z.string(), z.strictObject({ content: z.string() })),
	volumes: z.record(z.string(), z.null()),
});
// As Compose does without variables of the user.
const { services, configs, volumes } = composeFile.parse(
	parse(read('compose.yaml').replace(/\$\{\w+:-([^}]*)\}/g, '$1')),
);
const all = Object.entries(services);

/** The JSON list after an instruction, such as ENTRYPOINT. */
const listOf = (dockerfile: string, instruction: string): string[] =>
	z
		.array(z.string())
		.parse(JSON.parse(new RegExp(`^${instruction} .*?(\\[.*\\])$`, 'm').exec(dockerfile)?.[1] ?? '[]'));

describe('the Dockerfiles', () => {
	it.each(Object.entries(dockerfiles))('%s has no finding of the linter', (_, text) => {
		const deprecated = { deprecatedMaintainer: ValidationSeverity.ERROR };
		expect(validate(text, deprecated).map(({ message }) => message)).toEqual([]);
	});

	it('the linter finds a wrong instruction', () => {
		expect(validate(dockerfiles.relay.replace('EXPOSE', 'EXPOSES'))).not.toEqual([]);
	});

	it.each(Object.entries(dockerfiles))('%s starts an exact package on an exact image, without root', (name, text) => {
		const images = [...text.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image);
		expect(images).toEqual([services['install-node'].image, services['install-node'].image]);
		expect(text).toContain(` messaging-service-${name}@${project.version}\n`);
		const instructions = [...text.matchAll(/^[A-Z]+/gm)].map(([word]) => word);
		expect(instructions.slice(instructions.lastIndexOf('FROM'))).toEqual(
			expect.arrayContaining(['USER', 'VOLUME', 'STOPSIGNAL', 'HEALTHCHECK', 'ENTRYPOINT']),
		);
		expect(/^USER (.*)$/m.exec(text)?.[1]).toBe('node');
	});
});

describe('compose.yaml', () => {
	it('builds the images of the Dockerfiles, without other files', () => {
		expect(services.sandbox.build?.dockerfile_inline).toBe(dockerfiles.sandbox);
		expect(services.relay.build?.dockerfile_inline).toBe(dockerfiles.relay);
		expect(all.filter(([, { build }]) => build).map(([, { image }]) => image)).toEqual([
			`messaging-service-sandbox:${project.version}`,
			`messaging-service-relay:${project.version}`,
		]);
	});

	it('uses exact versions: of n8n the tested one, of the node this one', () => {
		expect(all.filter(([, { image }]) => !/:\d+\.\d+/.test(image))).toEqual([]);
		expect(services.n8n.image).toMatch(new RegExp(`:${n8nServer.dependencies.n8n}$`));
		expect(services['install-node'].command?.join(' ')).toContain(` ${project.name}@${project.version}\n`.trimEnd());
	});

	it('opens ports on this machine only', () => {
		const ports = all.flatMap(([, { ports: open }]) => open);
		expect(ports).toHaveLength(3);
		expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
	});

	it('refers only to its own services, volumes and configs, and waits only for services with a health check', () => {
		for (const [name, { depends_on, volumes: mounted, configs: given }] of all) {
			expect([
				name,
				mounted.map((mount) => mount.split(':')[0] ?? '').filter((volume) => !(volume in volumes)),
			]).toEqual([name, []]);
			expect([name, given.filter(({ source }) => !(source in configs))]).toEqual([name, []]);
			for (const [other, { condition }] of Object.entries(depends_on)) {
				const { healthcheck, build } = service.parse(Reflect.get(services, other));
				const isChecked = healthcheck !== undefined || build?.dockerfile_inline.includes('\nHEALTHCHECK ') === true;
				expect([name, other, isChecked]).toEqual([name, other, condition === 'service_healthy']);
			}
		}
	});

	it('has settings that the relay knows', () => {
		const known = Object.keys(services.relay.environment).filter((name) => HELP.includes(name));
		expect(known).toEqual(Object.keys(services.relay.environment));
	});

	it('gives PostgreSQL the databases and the user of n8n and the relay', () => {
		const { POSTGRES_USER: user, POSTGRES_PASSWORD: password, POSTGRES_DB: first } = services.postgres.environment;
		const created = /^create database (\w+);$/m.exec(configs.databases?.content ?? '')?.[1];
		expect(services.relay.environment.DATABASE_URL).toBe(`postgres://${user}:${password}@postgres:5432/${created}`);
		expect(services.n8n.environment).toMatchObject({
			DB_POSTGRESDB_HOST: 'postgres',
			DB_POSTGRESDB_DATABASE: first,
			DB_POSTGRESDB_USER: user,
			DB_POSTGRESDB_PASSWORD: password,
		});
	});
});

describe('the commands of the images', () => {
	let packed: PackedPrograms;
	let work: string;
	beforeAll(() => {
		packed = packPrograms();
		work = mkdtempSync(join(tmpdir(), 'docker-'));
	}, 180_000);
	afterAll(() => {
		killPrograms();
		packed.remove();
		rmSync(work, { recursive: true, force: true });
	});

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
			cwd: packed.install('messaging-service-sandbox'),
		});

		const variables = /^ENV (.*)$/m.exec(dockerfiles.relay.slice(dockerfiles.relay.lastIndexOf('\nFROM')))?.[1] ?? '';
		// Without PostgreSQL, the relay uses its embedded database.
		const settings = Object.entries(services.relay.environment).filter(([name]) => name !== 'DATABASE_URL');
		const given = [...variables.split(' ').map((pair) => pair.split('=')), ...settings];
		const env = Object.fromEntries(given.map(([name = '', value = '']) => [name, here(value, ports)]));
		const [program, ...relayArgs] = listOf(dockerfiles.relay, 'ENTRYPOINT');
		const relay = await startProgram([program ?? '', ...relayArgs, '--port', String(ports[4400])], {
			cwd: packed.install('messaging-service-relay'),
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

	it('the node is installed for n8n, without a second n8n-workflow', () => {
		spawnSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', work], { cwd: root });
		const [tarball = ''] = globSync('*.tgz', { cwd: work });
		const [shell = '', ...args] = (services['install-node'].command ?? []).map((word) =>
			word
				.replace(`${project.name}@${project.version}`, join(work, tarball))
				.replaceAll('/home/node', work)
				.replace('npm install', 'npm install --offline')
				.replace('chown -R 1000:1000', 'ls'),
		);
		// Not in this repository, whose .npmrc would apply.
		const run = spawnSync(shell, args, {
			cwd: work,
			encoding: 'utf8',
			env: { ...process.env, npm_config_loglevel: 'error' },
		});
		expect([run.status, run.stderr]).toEqual([0, '']);
		const folder = join(work, '.n8n', 'nodes', 'node_modules');
		expect(globSync('*', { cwd: folder })).toEqual([project.name]);
		expect(globSync(`${project.name}/dist/nodes/*/*.node.js`, { cwd: folder })).toHaveLength(3);
	});
});
