import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod/v4';

const manifest = z.object({ name: z.string(), version: z.string(), license: z.string() });

/**
 * Lists the packages in a bundle with the texts of their licenses, which have to go with every copy.
 * @param files paths of the bundled files, relative to `root`
 * @param root the folder that they are in
 * @returns Markdown, the same for the same packages
 */
export function licensesOf(files: readonly string[], root: string): string {
	const folders = files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? []);
	const entries = [...new Set(folders)].sort().map((folder) => {
		const { name, version, license } = manifest.parse(
			JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')),
		);
		const [file] = globSync('{LICEN[CS]E,licen[cs]e,COPYING}{,.*}', { cwd: join(root, folder) }).sort();
		const text = file === undefined ? '' : readFileSync(join(root, folder, file), 'utf8').trim();
		return [`## ${name} ${version}`, `License: ${license}`, text].filter((part) => part !== '').join('\n\n');
	});
	return ['# Licenses of the packages in this program', ...new Set(entries)].join('\n\n') + '\n';
}
