import { bootstrap } from './lib/bootstrap/bootstrap.mjs';

/** `npm run test:e2e`: installs missing packages, then tests `npm start` in Chromium. Arguments go to jest. */
await bootstrap({ steps: 6, reports: ['e2e.json'] }, async () => {
	const { testEndToEnd } = await import('./lib/commands/test-e2e.mjs');
	await testEndToEnd();
});
