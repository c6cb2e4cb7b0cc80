/** Unit, engine, sandbox and package tests. The end-to-end, queue-mode and relay tests have their own configurations. */
module.exports = {
	rootDir: __dirname,
	testEnvironment: '<rootDir>/test/support/fileEnvironment.ts',
	testMatch: ['<rootDir>/test/**/*.test.ts'],
	testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/e2e/', '<rootDir>/test/queue/', '<rootDir>/test/relay/'],
	modulePathIgnorePatterns: ['<rootDir>/.local/', '<rootDir>/dist/'],
	transform: {
		'^.+\\.[cm]?ts$': ['@swc/jest', { jsc: { parser: { syntax: 'typescript', decorators: true }, target: 'es2022' } }],
	},
	globalSetup: '<rootDir>/test/support/buildPackage.js',
	maxWorkers: 2,
	testTimeout: 30_000,
};
