/** Tests of n8n's queue mode, run by `npm run test:queue`. */
module.exports = {
	...require('../e2e/jest.config.js'),
	rootDir: __dirname,
};
