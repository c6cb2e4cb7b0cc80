import { bootstrap } from './lib/bootstrap/bootstrap.mjs';

/** `npm test`: installs missing packages, then runs every check, even after one fails. Arguments go to jest. */
await bootstrap({ steps: 6, reports: ['checks.json', 'test.json'] }, async () => {
	const { test } = await import('./lib/commands/test.mjs');
	await test();
});
