/** Tests of the relay, each on an embedded database and on PostgreSQL; `npm run test:relay` runs them. */
module.exports = {
	rootDir: __dirname,
	testEnvironment: '<rootDir>/../support/fileEnvironment.ts',
	transform: { '^.+\\.ts$': ['@swc/jest', { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' } }] },
	// Most tests wait for retries and pauses.
	maxWorkers: 2,
	// A relay with a new embedded database takes several seconds to start on a busy machine.
	testTimeout: 120_000,
	// A receiver of a failed test would keep jest running.
	forceExit: true,
};
