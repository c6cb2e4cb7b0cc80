/** n8n's queue mode, which `npm run test:queue` starts and then tests with this. */
module.exports = {
	...require('../e2e/jest.config.js'),
	rootDir: __dirname,
};
