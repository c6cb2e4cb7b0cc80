import { bootstrap } from './lib/bootstrap/bootstrap.mjs';

/** `npm run docs` and `npm run docs:build`: installs missing packages, then serves or builds the documentation site. */
await bootstrap({ steps: 2, quiet: true }, async () => {
	const { runDocs } = await import('./lib/commands/docs.mjs');
	await runDocs(process.argv.slice(2));
});
