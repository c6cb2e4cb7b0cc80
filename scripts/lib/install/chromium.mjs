import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { logFolder } from '../paths.mjs';
import { SetupError } from '../setup-error.mjs';
import { findProgram, installHint } from '../bootstrap/programs.mjs';
import { installSystemPackages, mayInstallSystemPackages } from './system-packages.mjs';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

const macPrograms = [
	'/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
	'/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/**
 * Finds a Chromium on this machine.
 *
 * @returns {string | undefined} its path
 * @throws {SetupError} if CHROMIUM_PATH names a missing file
 */
export function findChromium() {
	const chosen = process.env.CHROMIUM_PATH;
	if (chosen && !existsSync(chosen)) throw new SetupError(`CHROMIUM_PATH is ${chosen}, but this file does not exist.`);
	if (chosen) return chosen;
	for (const name of names) {
		const found = findProgram(name);
		if (found) return found;
	}
	return process.platform === 'darwin' ? macPrograms.find((path) => existsSync(path)) : undefined;
}

/**
 * Finds Chromium, or installs it if that is allowed.
 *
 * @param {{ install: boolean }} options `install`: may install it
 * @returns {Promise<string>} its path
 * @throws {SetupError} with the command that installs Chromium
 */
export async function ensureChromium({ install }) {
	const found = findChromium();
	if (found) return found;
	if (mayInstallSystemPackages(install)) {
		await installSystemPackages(['chromium'], join(logFolder, 'apt-chromium.log'));
		const installed = findChromium();
		if (installed) return installed;
	}
	const command = installHint({ debian: 'chromium', fedora: 'chromium', mac: 'brew install --cask chromium' });
	throw new SetupError(
		'The end-to-end tests need Chromium or Chrome, and neither is in the PATH.',
		`${command}\nIf you have one elsewhere: CHROMIUM_PATH=/path/to/chrome npm run test:e2e`,
	);
}
