import { bootstrap } from './lib/bootstrap/bootstrap.mjs';

/** `npm run test:package`: installs missing packages, then tests the products as users get them. Arguments go to jest. */
await bootstrap({ steps: 6, reports: ['package.json'] }, async () => {
	const { testPackage } = await import('./lib/commands/test-package.mjs');
	await testPackage();
});
