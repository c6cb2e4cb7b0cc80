import { introduction } from './introduction';
import { logFatal } from './log';
import { move } from './move/move';
import { startRelay } from './server';
import { HELP, readSettings } from './settings';
import { explainStartError } from './startError';
import { runTokenCommand } from './tokenCommand';

async function main(): Promise<void> {
	const [command, ...rest] = process.argv.slice(2);
	if (process.argv.includes('--help')) process.stdout.write(HELP);
	else if (command === 'token') process.stdout.write(await runTokenCommand(rest, process.env));
	else if (command === 'move') process.stdout.write(await move(readSettings(rest, process.env)));
	else await run();
}

const NO_TOKEN =
	'There is no admin token yet. A process with the role web or all creates one at its start, and prints it.\n';

async function run(): Promise<void> {
	const settings = readSettings(process.argv.slice(2), process.env);
	const running = await startRelay(settings);
	for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void running.stop());
	try {
		const relay = await running.opened;
		if (settings.role !== 'worker') process.stdout.write(introduction(running.url, settings, relay));
		else if (await relay.tokens.isWithoutAdmin()) process.stdout.write(NO_TOKEN);
		process.stdout.write(`ready ${running.url}\n`);
	} catch (error) {
		await running.stop();
		throw error;
	}
}

// Messages of libraries may quote data, so Node's own report is replaced.
process.on('uncaughtException', (error) => {
	logFatal('The relay ended', error);
	process.exit(1);
});

main().catch((error: unknown) => {
	const explained = explainStartError(error);
	if (explained !== undefined) process.stderr.write(`${explained}\n`);
	else logFatal('The relay cannot start. Check that the database can be used, see --database or DATABASE_URL', error);
	// Whatever still runs must not keep a relay without a database alive.
	process.exit(2);
});
