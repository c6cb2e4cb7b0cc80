/** The products as users get them: packages, images, the zip, the site and the commands of a clone; `npm run test:package` runs them. */
module.exports = {
	rootDir: __dirname,
	testEnvironment: '<rootDir>/../support/fileEnvironment.ts',
	globalSetup: '<rootDir>/../support/buildPackage.js',
	transform: {
		'^.+\\.[cm]?ts$': ['@swc/jest', { jsc: { parser: { syntax: 'typescript', decorators: true }, target: 'es2022' } }],
	},
	maxWorkers: 2,
	testTimeout: 30_000,
};
