import { bootstrap } from './lib/bootstrap/bootstrap.mjs';

/** `npm run test:compatibility`: tests the package in the oldest n8n that it supports. Arguments go to jest. */
await bootstrap({ steps: 3, reports: ['compatibility.json'] }, async () => {
	const { testCompatibility } = await import('./lib/commands/test-compatibility.mjs');
	await testCompatibility();
});
