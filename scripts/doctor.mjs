import { bootstrap } from './lib/bootstrap/bootstrap.mjs';

/** `npm run doctor`: installs missing packages, then checks a real account. */
await bootstrap({ steps: 1, output: process.stderr, quiet: true }, async () => {
	const { runDoctor } = await import('./lib/commands/doctor.mjs');
	await runDoctor(process.argv.slice(2));
});
