/** Tests of the relay, and of the nodes and the Zapier app with a real relay; `npm run test:relay` runs them. */
module.exports = {
	rootDir: __dirname,
	testEnvironment: '<rootDir>/../support/fileEnvironment.ts',
	modulePathIgnorePatterns: ['<rootDir>/../../.local/', '<rootDir>/../../dist/'],
	transform: {
		'^.+\\.ts$': ['@swc/jest', { jsc: { parser: { syntax: 'typescript', decorators: true }, target: 'es2022' } }],
	},
	globalSetup: '<rootDir>/../support/relay/buildAll.ts',
	// Twice two cores, because the tests wait for retries, pauses and pages for half of their time.
	maxWorkers: 4,
	// A relay with a new embedded database takes several seconds to start on a busy machine.
	testTimeout: 120_000,
	// A receiver of a failed test would keep jest running.
	forceExit: true,
};
