import { bootstrap } from './lib/bootstrap/bootstrap.mjs';

/**
 * `npm run test:relay`: tests the relay on an embedded database and on PostgreSQL. With `--long`, it runs the same tests with
 * full counts. Other arguments go to jest.
 */
await bootstrap({ steps: 6, reports: ['relay.json'] }, async () => {
	const { testRelay } = await import('./lib/commands/test-relay.mjs');
	await testRelay();
});
