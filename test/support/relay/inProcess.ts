import { logTo } from '../../../relay/log';
import { startRelay, type RunningRelay } from '../../../relay/server';
import { readSettings, type Settings } from '../../../relay/settings';

/** What `relay.ts` calls in the built file. */
export type StartInProcess = typeof startInProcess;

// The log of relays would be in between the results of tests. A test that reads it starts a process.
logTo(() => undefined);

/** Starts a relay in this process, and waits until it is ready. */
export async function startInProcess(
	args: readonly string[],
	env: Readonly<Record<string, string>>,
	settings: Partial<Settings>,
): Promise<Pick<RunningRelay, 'url' | 'stop'>> {
	const running = await startRelay({ ...readSettings(args, env), ...settings });
	try {
		await running.opened;
	} catch (error) {
		await running.stop();
		throw error;
	}
	return running;
}
