import { join } from 'node:path';
import { ensureTool, installFolder } from '../bootstrap/install.mjs';
import { isInstalled } from '../bootstrap/marker.mjs';
import { n8nScanFolder, relayFolder, siteFolder, zapierFolder } from '../paths.mjs';
import { runProgram } from '../process/processes.mjs';

/** Node 22, which Zapier runs apps with. */
const zapierNode = {
	name: 'node',
	folder: zapierFolder,
	program: join(zapierFolder, 'node_modules', 'node', 'bin', 'node'),
};

/**
 * Installs n8n's package check if it is missing, as one step.
 *
 * @param {import('../bootstrap/progress.mjs').Progress} progress
 * @throws {import('../setup-error.mjs').SetupError} names the failed installation, with the next steps
 */
export async function installN8nScan({ step, note }) {
	await step('Installing n8n’s package check', async () => {
		if (!isInstalled(n8nScanFolder)) await installFolder('n8n-scan', n8nScanFolder, { run: runProgram, note });
	});
}

/**
 * Installs the Zapier app's packages if they are missing, as one step. Checks that the Node 22 in them runs.
 *
 * @param {import('../bootstrap/progress.mjs').Progress} progress
 * @throws {import('../setup-error.mjs').SetupError} names the failed installation, with the next steps
 */
export async function installZapier({ step, note }) {
	await step('Installing Zapier’s packages', async () => {
		if (isInstalled(zapierFolder)) return;
		const afterwards = () => ensureTool(zapierNode, runProgram);
		await installFolder('zapier', zapierFolder, { run: runProgram, note, afterwards });
	});
}

/**
 * Installs the relay's packages if they are missing, as one step.
 *
 * @param {import('../bootstrap/progress.mjs').Progress} progress
 * @throws {import('../setup-error.mjs').SetupError} names the failed installation, with the next steps
 */
export async function installRelay({ step, note }) {
	if (isInstalled(relayFolder)) await step('The relay’s packages are installed', async () => {});
	else {
		await step('Installing the relay’s packages', async () => {
			await installFolder('relay', relayFolder, { run: runProgram, note });
		});
	}
}

/**
 * Installs the packages of the documentation site if they are missing, as one step.
 *
 * @param {import('../bootstrap/progress.mjs').Progress} progress
 * @throws {import('../setup-error.mjs').SetupError} names the failed installation, with the next steps
 */
export async function installSite({ step, note }) {
	await step('Installing the packages of the documentation site', async () => {
		if (!isInstalled(siteFolder)) await installFolder('site', siteFolder, { run: runProgram, note });
	});
}
