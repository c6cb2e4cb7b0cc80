import { bootstrap } from './lib/bootstrap/bootstrap.mjs';
import { readDemoOptions } from './lib/bootstrap/demo-options.mjs';
import { checkN8nNeeds } from './lib/bootstrap/n8n-needs.mjs';

/** `npm start`: installs missing packages and n8n, then runs the sandbox, the relay and n8n with the package until Ctrl-C. */
await bootstrap(
	{ steps: 10, readOptions: () => readDemoOptions('npm start'), check: checkN8nNeeds },
	async (options) => {
		const { runDemo } = await import('./lib/commands/demo.mjs');
		await runDemo(options, { steps: 10, watch: false });
	},
);
