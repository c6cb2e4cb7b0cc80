import { bootstrap } from './lib/bootstrap/bootstrap.mjs';

/** `npm run test:long`: tests the relay and n8n's queue mode with full counts. Arguments go to jest. */
await bootstrap({ steps: 1 }, async () => {
	const { testLong } = await import('./lib/commands/test-long.mjs');
	await testLong();
});
