import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { validate, ValidationSeverity } from 'dockerfile-utils';
import { HELP } from '../../relay/settings';
import project from '../../package.json';
import n8nServer from '../../scripts/n8n-server/package.json';
import { configs, dockerfiles, service, services, volumes } from '../support/package/images';

const root = join(__dirname, '..', '..');
const all = Object.entries(services);

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

it('compose.yaml installs the node for n8n, without a second n8n-workflow', () => {
	const work = mkdtempSync(join(tmpdir(), 'docker-'));
	try {
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
	} finally {
		rmSync(work, { recursive: true, force: true });
	}
});
