import { build } from 'esbuild';
import { cpSync, globSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * Builds dist/, which n8n loads: one file for each node and credential, including our shared code, with the icons and codex
 * files. n8n supplies n8n-workflow and zod. A bundled zod fails n8n's package scan.
 */
const root = fileURLToPath(new URL('..', import.meta.url));
process.chdir(root);
rmSync('dist', { recursive: true, force: true });
await build({
	entryPoints: [...globSync('nodes/**/*.node.ts'), ...globSync('credentials/*.credentials.ts')],
	outdir: 'dist',
	outbase: '.',
	bundle: true,
	platform: 'node',
	format: 'cjs',
	target: 'node20',
	external: ['n8n-workflow', 'zod', 'zod/*', 'crypto'],
	logLevel: 'warning',
});
for (const file of globSync('nodes/**/*.{svg,node.json}')) cpSync(file, `dist/${file}`);
