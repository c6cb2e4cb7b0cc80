/** The essential paths in the oldest n8n that the package supports; `npm run test:compatibility` runs them. */
module.exports = {
	rootDir: __dirname,
	testEnvironment: '<rootDir>/../support/fileEnvironment.ts',
	transform: { '^.+\\.ts$': ['@swc/jest', { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' } }] },
	maxWorkers: 1,
	testTimeout: 120_000,
	// If n8n does not start, the sandbox of a failed test would keep jest running.
	forceExit: true,
};
