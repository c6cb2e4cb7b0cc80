import { parseArgs } from 'node:util';
import { bootstrap } from './lib/bootstrap/bootstrap.mjs';

/**
 * Usage: node scripts/build.mjs [--watch] [--out FOLDER]. Installs missing packages, then builds `dist/`, which n8n loads. With
 * --watch, builds again after each change, until it is stopped. npm also runs it before `npm pack`, whose output is on stdout.
 */
await bootstrap(
	{
		steps: 1,
		readOptions: () =>
			parseArgs({
				options: { watch: { type: 'boolean', default: false }, out: { type: 'string', default: 'dist' } },
			}).values,
		output: process.stderr,
		quiet: true,
	},
	async (options) => {
		const { buildNodes } = await import('./lib/n8n/build.mjs');
		await buildNodes(options);
	},
);
