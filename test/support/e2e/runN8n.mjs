import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openAccount } from '../../../scripts/lib/demo/provision.mjs';
import { openDemoState } from '../../../scripts/lib/demo/state.mjs';
import { buildPackage, installPackageInN8n } from '../../../scripts/lib/n8n/package.mjs';
import { startN8n } from '../../../scripts/lib/n8n/server.mjs';
import { reservePort } from '../../../scripts/lib/process/free-port.mjs';
import { endAllProcesses } from '../../../scripts/lib/process/processes.mjs';

/**
 * Runs n8n with the package, for tests that stop and start it: `node runN8n.mjs FOLDER SETTINGS PORT`. SETTINGS
 * is JSON with variables of n8n's environment. TEST_N8N names the folder of another installed n8n. Prints one line of JSON when n8n is ready. Ends with n8n, and ends n8n when its standard input closes.
 */
const [folder = '', settings = '{}', port] = process.argv.slice(2);
const userFolder = join(folder, 'n8n');
const end = async () => {
	await endAllProcesses(0);
	process.exit(0);
};
process.stdin.resume().once('end', () => void end());
// Ctrl-C in a terminal reaches this process, and not n8n.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => void end());
const { state, save } = openDemoState(folder);
if (!existsSync(userFolder)) {
	await buildPackage(join(folder, 'build.log'));
	await installPackageInN8n(userFolder, join(folder, 'pack.log'));
}
const { url, started } = await startN8n({
	userFolder,
	port: Number(port),
	brokerPort: await reservePort(4_550),
	encryptionKey: state.encryptionKey,
	logFile: join(folder, `n8n-${Date.now()}.log`),
	env: JSON.parse(settings),
	installed: process.env.TEST_N8N,
});
void started.ended.then(end);
await openAccount(url, state, save);
const { apiKey, email, password } = state;
console.log(JSON.stringify({ url, port: Number(port), pid: started.group, apiKey, email, password }));
