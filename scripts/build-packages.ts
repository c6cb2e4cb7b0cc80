import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildPackage } from './lib/packages/build';
import { programPackages } from './lib/packages/packages';
import { projectFolder } from './lib/paths.mjs';

/**
 * Usage: npm run build:packages [-- --out FOLDER]. Builds the npm packages of the sandbox and the relay, each in a folder
 * of its name in `dist/packages` or FOLDER. `npm publish` and `npm pack` take such a folder.
 */
async function main(): Promise<void> {
	const { values } = parseArgs({
		options: { out: { type: 'string', default: join(projectFolder, 'dist', 'packages') } },
	});
	for (const program of programPackages) {
		const folder = resolve(values.out, program.name);
		await buildPackage(program, folder);
		process.stdout.write(`${folder}\n`);
	}
}

void main();
