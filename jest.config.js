/** Unit, engine and sandbox tests. The tests with their own configurations are left out. */
module.exports = {
	rootDir: __dirname,
	testEnvironment: '<rootDir>/test/support/fileEnvironment.ts',
	testMatch: ['<rootDir>/test/**/*.test.ts'],
	testPathIgnorePatterns: [
		'/node_modules/',
		'<rootDir>/test/compatibility/',
		'<rootDir>/test/e2e/',
		'<rootDir>/test/package/',
		'<rootDir>/test/queue/',
		'<rootDir>/test/relay/',
	],
	modulePathIgnorePatterns: ['<rootDir>/.local/', '<rootDir>/dist/'],
	transform: {
		'^.+\\.[cm]?ts$': ['@swc/jest', { jsc: { parser: { syntax: 'typescript', decorators: true }, target: 'es2022' } }],
	},
	globalSetup: '<rootDir>/test/support/buildPackage.js',
	// One more than two cores, because the tests wait for about a quarter of their time.
	maxWorkers: 3,
	testTimeout: 30_000,
};
