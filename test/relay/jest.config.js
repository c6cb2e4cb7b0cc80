const { totalmem } = require('node:os');

/** Tests of the relay, and of the nodes and the Zapier app with a real relay; `npm run test:relay` runs them. */
module.exports = {
	rootDir: __dirname,
	testEnvironment: '<rootDir>/../support/fileEnvironment.ts',
	modulePathIgnorePatterns: ['<rootDir>/../../.local/', '<rootDir>/../../dist/'],
	transform: {
		'^.+\\.ts$': ['@swc/jest', { jsc: { parser: { syntax: 'typescript', decorators: true }, target: 'es2022' } }],
	},
	globalSetup: '<rootDir>/../support/relay/buildAll.ts',
	testSequencer: '<rootDir>/../support/slowFirst.js',
	// Twice two cores, because the tests wait for retries, pauses and pages for half of their time. One worker and its
	// processes may use 2 GB.
	maxWorkers: totalmem() < 12e9 ? 3 : 4,
	// Databases that were closed stay in the memory of a worker for a while.
	workerIdleMemoryLimit: '1GB',
	// A relay with a new embedded database takes several seconds to start on a busy machine.
	testTimeout: 120_000,
	// A receiver of a failed test would keep jest running.
	forceExit: true,
};
