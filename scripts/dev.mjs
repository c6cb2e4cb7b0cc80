import { bootstrap } from './lib/bootstrap/bootstrap.mjs';
import { readDemoOptions } from './lib/bootstrap/demo-options.mjs';
import { checkN8nNeeds } from './lib/bootstrap/n8n-needs.mjs';

/** `npm run dev`: like `npm start`, and also builds the nodes after each change. n8n then reloads them, and sandbox and relay restart. */
await bootstrap(
	{ steps: 11, readOptions: () => readDemoOptions('npm run dev'), check: checkN8nNeeds },
	async (options) => {
		const { runDemo } = await import('./lib/commands/demo.mjs');
		await runDemo(options, { steps: 11, watch: true });
	},
);
