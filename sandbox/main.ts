import { toErrorInfo } from './errorInfo';
import { type CommandLine, CommandLineError, parseCommandLine } from './commandLine';
import { type Sandbox, startSandbox } from './server';
import { DataFileError } from './store/open';

async function main(): Promise<void> {
	const sandbox = await start(parseCommandLine(process.argv.slice(2)));
	for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void sandbox.stop());
	process.stdout.write(`ready ${sandbox.url}\n`);
}

async function start({ port, host, data }: CommandLine): Promise<Sandbox> {
	try {
		return await startSandbox({ port, host, data });
	} catch (error) {
		if (toErrorInfo(error).code !== 'EADDRINUSE') throw error;
		process.stderr.write(`Port ${port} is in use. The sandbox uses a free one instead.\n`);
		return await startSandbox({ host, data });
	}
}

main().catch((error: unknown) => {
	if (error instanceof CommandLineError) process.stderr.write(`${error.message}\n`);
	else if (error instanceof DataFileError) process.stderr.write(`--data: ${error.message}\n`);
	else throw error;
	process.exitCode = 2;
});
