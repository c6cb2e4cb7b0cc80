const { execFileSync } = require('node:child_process');
const { join } = require('node:path');

/** Builds dist/ before the tests, so they never test an old one. */
module.exports = () => {
	execFileSync(process.execPath, [join(__dirname, '..', '..', 'scripts', 'build.mjs')], { stdio: 'inherit' });
};
