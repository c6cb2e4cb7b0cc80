const { execFileSync } = require('node:child_process');
const { existsSync, readdirSync, statSync } = require('node:fs');
const { join } = require('node:path');
const manifest = require('../../package.json');

const root = join(__dirname, '..', '..');
const sources = ['nodes', 'credentials', 'shared', 'scripts/lib/n8n', 'package.json', 'package-lock.json'];

/**
 * When a file or anything in a folder last changed. A folder itself changes if a file is removed.
 *
 * @param {string} path
 * @returns {number} milliseconds since 1970
 */
function lastChange(path) {
	const stats = statSync(path);
	if (!stats.isDirectory()) return stats.mtimeMs;
	return Math.max(stats.mtimeMs, ...readdirSync(path).map((name) => lastChange(join(path, name))));
}

function isBuilt() {
	const built = [...manifest.n8n.nodes, ...manifest.n8n.credentials].map((file) => join(root, file));
	if (!built.every((file) => existsSync(file))) return false;
	const oldest = Math.min(...built.map((file) => statSync(file).mtimeMs));
	return sources.every((path) => lastChange(join(root, path)) < oldest);
}

/** Builds dist/ before the tests if a source has changed, so they never test an old one. */
module.exports = () => {
	if (isBuilt()) return;
	execFileSync(process.execPath, [join(root, 'scripts', 'build.mjs')], { stdio: 'inherit' });
};
