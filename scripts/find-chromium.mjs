import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { logFolder } from './project-paths.mjs';
import { SetupProblem } from './setup-problem.mjs';
import { findProgram, installHint, installSystemPackages, mayInstallSystemPackages } from './system-packages.mjs';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

const macPrograms = [
	'/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
	'/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/**
 * Finds a Chromium on this machine.
 *
 * @returns {string | undefined} its path
 * @throws {SetupProblem} when CHROMIUM_PATH names a file that is not there
 */
export function findChromium() {
	const chosen = process.env.CHROMIUM_PATH;
	if (chosen && !existsSync(chosen)) throw new SetupProblem(`CHROMIUM_PATH is ${chosen}, and there is no such file.`);
	if (chosen) return chosen;
	for (const name of names) {
		const found = findProgram(name);
		if (found) return found;
	}
	return process.platform === 'darwin' ? macPrograms.find((path) => existsSync(path)) : undefined;
}

/**
 * Makes sure that there is a Chromium.
 *
 * @param {{ install: boolean }} options `install`: may install it
 * @returns {Promise<string>} its path
 * @throws {SetupProblem} with the command that installs it
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
	throw new SetupProblem(
		'The end-to-end test needs Chromium or Chrome, and none is in the PATH.',
		`${command}\nor name yours: CHROMIUM_PATH=/path/to/chrome npm run test:e2e`,
	);
}
