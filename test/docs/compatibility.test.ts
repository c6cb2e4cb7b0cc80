import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod/v4';
import { compareVersions, compatibility, features } from '../../scripts/lib/compatibility';

const root = join(__dirname, '..', '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const versionIn = (folder: string) =>
	z.object({ dependencies: z.object({ n8n: z.string() }) }).parse(JSON.parse(read(`scripts/${folder}/package.json`)))
		.dependencies.n8n;
const lock = z.object({
	packages: z.object({
		'node_modules/n8n': z.object({ engines: z.object({ node: z.string() }) }).optional(),
		'node_modules/sqlite3': z.object({ version: z.string() }),
	}),
});
const packagesOf = (folder: string) => lock.parse(JSON.parse(read(`scripts/${folder}/package-lock.json`))).packages;
const manifest = z
	.object({ engines: z.object({ n8n: z.string(), node: z.string() }) })
	.parse(JSON.parse(read('package.json')));

const oldest = versionIn('n8n-oldest');
const current = versionIn('n8n-server');
const minor = (version: string) => version.split('.').slice(0, 2).join('.');

describe('the supported n8n versions', () => {
	it('are the same in the manifest, the README and the page', () => {
		expect(manifest.engines.n8n).toBe(`>=${oldest}`);
		expect(read('README.md')).toContain(`a self-hosted n8n ${minor(oldest)} or later`);
		expect(read('docs/compatibility.md')).toContain(
			`a self-hosted n8n ${minor(oldest)} or later. The newest one that we tested is ${current}.`,
		);
	});

	it('have results of the oldest and the current version, without a failed feature', () => {
		expect(Object.keys(compatibility)).toEqual(expect.arrayContaining([oldest, current]));
		for (const [version, results] of Object.entries(compatibility)) {
			expect([version, Object.keys(results)]).toEqual([version, Object.keys(features)]);
			const failed = Object.values(results).includes('fails');
			expect([version, failed]).toEqual([version, compareVersions(version, oldest) < 0]);
		}
	});

	it('need no newer Node than the package', () => {
		const { 'node_modules/n8n': n8n } = packagesOf('n8n-oldest');
		expect(n8n?.engines.node).toMatch(new RegExp(`^${manifest.engines.node} `));
	});

	it('use one version of the database driver, which is installed once', () => {
		const drivers = ['n8n-oldest', 'n8n-server', 'n8n-sqlite'].map(
			(folder) => packagesOf(folder)['node_modules/sqlite3'].version,
		);
		expect(new Set(drivers).size).toBe(1);
	});
});
