import { startRelay } from '../../../relay/server';
import { readSettings } from '../../../relay/settings';
import { QUICK } from './quick';

/** The relay's program with the times of {@link QUICK}, for tests that kill it. They have no variables. */
async function main(): Promise<void> {
	const settings = readSettings(process.argv.slice(2), process.env);
	const running = await startRelay({ ...settings, ...QUICK, waits: { ...QUICK.waits, jobs: 1_000 } });
	process.on('SIGTERM', () => void running.stop());
	await running.opened;
	process.stdout.write(`ready ${running.url}\n`);
}

void main();
