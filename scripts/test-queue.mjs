import { bootstrap } from './lib/bootstrap/bootstrap.mjs';

/** `npm run test:queue`: installs n8n if it is missing, then tests the package in n8n's queue mode. Arguments go to jest. */
await bootstrap({ steps: 7, reports: ['queue.json'] }, async () => {
	const { testQueueMode } = await import('./lib/commands/test-queue.mjs');
	await testQueueMode();
});
