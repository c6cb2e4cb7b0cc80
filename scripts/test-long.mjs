import { bootstrap } from './lib/bootstrap/bootstrap.mjs';

/** `npm run test:long`: runs random tests with full counts and new inputs. Arguments go to jest. */
await bootstrap({ steps: 1 }, async () => {
	const { testLong } = await import('./lib/commands/test-long.mjs');
	await testLong();
});
