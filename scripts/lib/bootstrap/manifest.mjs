import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Copies a committed manifest with its lock file and npm settings into the ignored folder that npm installs in.
 *
 * @param {string} manifest the committed folder
 * @param {string} folder the ignored folder, which is created if it is missing
 */
export function copyManifest(manifest, folder) {
	mkdirSync(folder, { recursive: true });
	for (const file of ['package.json', 'package-lock.json', '.npmrc'])
		copyFileSync(join(manifest, file), join(folder, file));
}
