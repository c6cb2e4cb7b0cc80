import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(__dirname, '..', '..', '..');

/** The packages of sandbox and relay, as npm would publish them. */
export interface PackedPrograms {
	/** The folder of a built package. */
	readonly built: (name: string) => string;
	/** Installs a package from its tarball into an empty folder. @returns the folder */
	readonly install: (name: string) => string;
	readonly remove: () => void;
}

/** Builds and packs the packages of sandbox and relay. */
export function packPrograms(): PackedPrograms {
	const work = mkdtempSync(join(tmpdir(), 'programs-'));
	const npm = (args: readonly string[], cwd: string) => execFileSync('npm', [...args], { cwd, stdio: 'pipe' });
	const built = (name: string) => join(work, 'built', name);
	execFileSync(process.execPath, ['--import', 'tsx', 'scripts/build-packages.ts', '--out', join(work, 'built')], {
		cwd: root,
		stdio: 'pipe',
	});
	return {
		built,
		install(name) {
			const folder = join(work, 'installed', name);
			mkdirSync(folder, { recursive: true });
			npm(['pack', built(name), '--silent', '--pack-destination', folder], folder);
			const [tarball = ''] = globSync('*.tgz', { cwd: folder });
			// npm finds the relay's packages in place, so it asks no registry.
			if (name.endsWith('-relay')) {
				cpSync(join(root, 'relay', 'node_modules'), join(folder, 'node_modules'), { recursive: true });
			}
			npm(['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', `./${tarball}`], folder);
			return folder;
		},
		remove: () => rmSync(work, { recursive: true, force: true }),
	};
}
