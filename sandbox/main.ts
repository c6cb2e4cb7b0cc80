import { type CommandLine, CommandLineError, HELP, parseCommandLine } from './commandLine';
import { toErrorInfo } from './errorInfo';
import { runCommand } from './runCommand';
import { readSeed, SeedError } from './seed/readSeed';
import { type Sandbox, startSandbox } from './server';
import { readShapes, ShapesFileError } from './readShapes';
import { DataFileError } from './store/open';

async function main(): Promise<void> {
	const line = parseCommandLine(process.argv.slice(2));
	if (line.help) {
		process.stdout.write(HELP);
		return;
	}
	const sandbox = await start(line);
	if (line.command) {
		try {
			process.exitCode = await runCommand(line.command, {
				MESSAGING_SERVICE_BASE_URL: sandbox.baseUrl,
				MESSAGING_SERVICE_API_KEY: sandbox.apiKey,
				MESSAGING_SERVICE_SANDBOX_URL: sandbox.url,
			});
		} finally {
			await sandbox.stop();
		}
		return;
	}
	for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void sandbox.stop());
	process.stdout.write(`ready ${sandbox.url}\n`);
}

async function start({ port, host, data, seed: file, shapes: recorded }: CommandLine): Promise<Sandbox> {
	const seed = file === undefined ? undefined : readSeed(file);
	const shapes = recorded === undefined ? undefined : readShapes(recorded);
	const options = { host, data, ...(seed && { seed }), ...(shapes && { shapes }) };
	const sandbox = await startSandbox({ ...options, port }).catch(async (error: unknown) => {
		if (toErrorInfo(error).code !== 'EADDRINUSE') throw error;
		process.stderr.write(`Port ${port} is in use. The sandbox uses a free one instead.\n`);
		return await startSandbox(options);
	});
	if (file !== undefined && !sandbox.isNew) {
		process.stderr.write(`${data} has an account already, so ${file} is used at the next reset only.\n`);
	}
	return sandbox;
}

main().catch((error: unknown) => {
	if (error instanceof CommandLineError) process.stderr.write(`${error.message}\n`);
	else if (error instanceof DataFileError) process.stderr.write(`--data: ${error.message}\n`);
	else if (error instanceof SeedError) process.stderr.write(`--seed: ${error.message}\n`);
	else if (error instanceof ShapesFileError) process.stderr.write(`--shapes: ${error.message}\n`);
	else throw error;
	process.exitCode = 2;
});
