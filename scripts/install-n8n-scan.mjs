import { bootstrap } from './lib/bootstrap/bootstrap.mjs';

/** Installs n8n's package check if it is missing. It includes n8n's lint rules, which `npm run check:n8n` needs. */
await bootstrap({ steps: 2, quiet: true }, async () => {
	const { installInTerminal } = await import('./lib/install/in-terminal.mjs');
	const { installN8nScan } = await import('./lib/install/packages.mjs');
	const { n8nScanFolder } = await import('./lib/paths.mjs');
	await installInTerminal(n8nScanFolder, installN8nScan, process.stdout);
});
