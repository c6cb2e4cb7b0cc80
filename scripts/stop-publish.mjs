/**
 * Runs before `npm publish` in this folder, and stops it. Only the workflow publishes: it signs where the package came from, and
 * n8n verifies no other packages. The workflow publishes a packed file, for which npm does not run this.
 */
process.stderr.write(
	'Publish by pushing a tag, so that the package has a provenance statement. See docs/publishing.md.\nNothing was published.\n',
);
process.exitCode = 1;
