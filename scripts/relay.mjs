import { bootstrap } from './lib/bootstrap/bootstrap.mjs';

/** `npm run relay`: installs missing packages, then runs the relay alone. Callers read lines from stdout. */
await bootstrap({ steps: 2, output: process.stderr, quiet: true }, async () => {
	const { runRelay } = await import('./lib/commands/relay.mjs');
	await runRelay(process.argv.slice(2));
});
