import { logTo } from '../../../relay/log';
import { startRelay, type RunningRelay } from '../../../relay/server';
import { readSettings, type Settings } from '../../../relay/settings';
import { explainStartError } from '../../../relay/startError';
import { runTokenCommand } from '../../../relay/tokenCommand';

/** What `relay.ts` calls in the built file. */
export interface InProcess {
	readonly startInProcess: typeof startInProcess;
	readonly tokenInProcess: typeof tokenInProcess;
}

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

/**
 * Runs `relay token` in this process.
 * @param args the arguments after `token`
 * @returns its exit code and output, as of the program
 * @throws an error that the program does not expect
 */
export async function tokenInProcess(
	args: readonly string[],
	env: Readonly<Record<string, string>>,
): Promise<{ readonly code: number; readonly output: string }> {
	try {
		return { code: 0, output: await runTokenCommand(args, env) };
	} catch (error) {
		const output = explainStartError(error);
		if (output === undefined) throw error;
		return { code: 2, output };
	}
}
