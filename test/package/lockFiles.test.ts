import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod/v4';

const root = join(__dirname, '..', '..');
const lockFile = z.object({
	packages: z.record(
		z.string(),
		z.object({
			resolved: z.string().optional(),
			hasInstallScript: z.boolean().optional(),
			optionalDependencies: z.record(z.string(), z.string()).optional(),
		}),
	),
});
const locks = globSync('{.,scripts/*,zapier,relay,site}/package-lock.json', { cwd: root }).map((path) => {
	const { packages } = lockFile.parse(JSON.parse(readFileSync(join(root, path), 'utf8')));
	return [path, packages] as const;
});

/** The folders in which Node looks for a package, from the package's folder upward. */
const lookups = (place: string): string[] => {
	if (place === '') return ['node_modules/'];
	return [`${place}/node_modules/`, ...lookups(place.slice(0, Math.max(0, place.lastIndexOf('/node_modules/'))))];
};

it('finds all lock files', () => {
	expect(locks.map(([path]) => path).sort()).toEqual([
		'package-lock.json',
		'relay/package-lock.json',
		'scripts/n8n-oldest/package-lock.json',
		'scripts/n8n-scan/package-lock.json',
		'scripts/n8n-server/package-lock.json',
		'scripts/n8n-sqlite/package-lock.json',
		'site/package-lock.json',
		'zapier/package-lock.json',
	]);
});

// Without an answer, npm 11 warns at each installation, and npm 12 stops. npm 10 runs all of them, so none may fail.
it('package.json says of each package with an install script whether npm may run it', () => {
	const { allowScripts } = z
		.object({ allowScripts: z.record(z.string(), z.boolean()) })
		.parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));
	const packages = new Map(locks).get('package-lock.json') ?? {};
	const withScript = Object.entries(packages)
		.filter(([, { hasInstallScript }]) => hasInstallScript)
		.map(([place]) => place.replace(/^.*node_modules\//, ''));
	expect(Object.keys(allowScripts).sort()).toEqual([...new Set(withScript)].sort());
	expect(withScript).not.toContain('eslint-plugin-n8n-nodes-base');
});

describe.each(locks)('%s', (_, packages) => {
	it('names no registry', () => {
		const named = Object.values(packages).filter(({ resolved }) => resolved?.startsWith('http'));
		expect(named).toEqual([]);
	});

	// npm ci rejects a lock file that lacks the package of a platform.
	it('has the optional packages of all platforms', () => {
		const missing = Object.entries(packages).flatMap(([place, { optionalDependencies = {} }]) =>
			Object.keys(optionalDependencies).filter(
				(name) => !lookups(place).some((folder) => `${folder}${name}` in packages),
			),
		);
		expect(missing).toEqual([]);
	});
});
