import { bootstrap } from './lib/bootstrap/bootstrap.mjs';
import { readDemoOptions } from './lib/bootstrap/demo-options.mjs';

/** `npm run dev`: like `npm start`, and also builds the nodes after each change. n8n then reloads them, and sandbox and relay restart. */
await bootstrap({ steps: 10, readOptions: () => readDemoOptions('npm run dev') }, async (options) => {
	const { runDemo } = await import('./lib/commands/demo.mjs');
	await runDemo(options, { steps: 10, watch: true });
});
