import { bootstrap } from './lib/bootstrap/bootstrap.mjs';

/** `npm run sandbox`: installs missing packages, then runs the sandbox alone. Callers read one line from stdout. */
await bootstrap({ steps: 1, output: process.stderr, quiet: true }, async () => {
	const { runSandbox } = await import('./lib/commands/sandbox.mjs');
	await runSandbox(process.argv.slice(2));
});
