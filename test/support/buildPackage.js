/** Builds dist/ before the tests if a source has changed, so they never test an old one, and no two files build it at once. */
module.exports = async () => {
	const { buildPackage } = await import('../../scripts/lib/n8n/package.mjs');
	await buildPackage();
};
