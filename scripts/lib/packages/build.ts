import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { createBundles } from '../../../ui/server/bundles';
import { projectFolder } from '../paths.mjs';
import { launcher } from './launcher';
import { licensesOf } from './licenses';
import { manifestOf, type ProgramPackage, repositoryUrl } from './packages';
import { npmReadme } from './readme';
import { shrinkwrapOf } from './shrinkwrap';

/** Replaces the module that builds pages with esbuild by the one that reads built pages. */
const builtPages: Plugin = {
	name: 'built-pages',
	setup(program) {
		let replaced = false;
		program.onResolve({ filter: /^\.\/bundles$/ }, () => {
			replaced = true;
			return { path: join(projectFolder, 'ui', 'server', 'builtBundles.ts') };
		});
		// Otherwise a renamed module would be published with esbuild inside.
		program.onEnd(() => {
			if (!replaced) throw new Error('No program imports ui/server/bundles.ts, so its pages would be missing.');
		});
	},
};

/**
 * Builds a package that npm can publish: its programs as one file each, its pages, migrations, README and licenses.
 * @param out the folder for it, emptied first
 */
export async function buildPackage(program: ProgramPackage, out: string): Promise<void> {
	rmSync(out, { recursive: true, force: true });
	const folder = join(projectFolder, program.folder);
	for (const part of ['bin', 'dist/pages', 'dist/migrations']) mkdirSync(join(out, part), { recursive: true });

	const { metafile } = await build({
		entryPoints: Object.entries(program.commands).map(([name, file]) => ({ in: file, out: name })),
		absWorkingDir: projectFolder,
		outdir: join(out, 'dist'),
		bundle: true,
		metafile: true,
		platform: 'node',
		format: 'cjs',
		target: `node${program.node}`,
		external: Object.keys(program.dependencies),
		plugins: [builtPages],
		legalComments: 'none',
		logLevel: 'warning',
	});
	for (const name of Object.keys(program.commands)) {
		writeFileSync(join(out, 'bin', `${name}.js`), launcher(name, program.node), { mode: 0o755 });
	}
	for (const [name, content] of await createBundles(join(folder, 'ui'))()) {
		// The sources are not in the package, so its pages refer to no source maps.
		if (name.endsWith('.map')) continue;
		const text = Buffer.from(content).toString();
		writeFileSync(join(out, 'dist', 'pages', name), text.replace(/\n?(\/\/|\/\*)# sourceMappingURL=.*$/m, ''));
	}
	for (const file of globSync('*/migrations/*.sql', { cwd: folder })) {
		cpSync(join(folder, file), join(out, 'dist', 'migrations', basename(file)));
	}
	const readme = readFileSync(join(folder, 'README.md'), 'utf8');
	writeFileSync(join(out, 'README.md'), npmReadme(readme, { repository: repositoryUrl, folder: program.folder }));
	cpSync(join(projectFolder, 'LICENSE'), join(out, 'LICENSE'));
	// The pages have one package.
	const bundled = [...Object.keys(metafile.inputs), 'node_modules/preact/package.json'];
	writeFileSync(join(out, 'THIRD_PARTY_LICENSES.md'), licensesOf(bundled, projectFolder));
	const lockFile = join(folder, 'package-lock.json');
	if (existsSync(lockFile)) {
		const lock = shrinkwrapOf(JSON.parse(readFileSync(lockFile, 'utf8')), program);
		writeFileSync(join(out, 'npm-shrinkwrap.json'), `${JSON.stringify(lock, null, 2)}\n`);
	}
	writeFileSync(join(out, 'package.json'), `${JSON.stringify(manifestOf(program), null, 2)}\n`);
}
