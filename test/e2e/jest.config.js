/** The end-to-end tests: a real npm start, a real n8n, a real browser; `npm run test:e2e` runs them. */
module.exports = {
	rootDir: __dirname,
	testEnvironment: '<rootDir>/../support/fileEnvironment.ts',
	transform: { '^.+\\.ts$': ['@swc/jest', { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' } }] },
	globalSetup: '<rootDir>/../support/buildPackage.js',
	maxWorkers: 2,
	testSequencer: '<rootDir>/../support/slowFirst.js',
	// A machine that starts n8n for the first time may take minutes.
	testTimeout: 300_000,
	// The sandbox of a failed test would keep jest running.
	forceExit: true,
};
