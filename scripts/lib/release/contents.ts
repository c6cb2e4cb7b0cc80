/** The files of the n8n package, by their paths in it. npm adds the first three by itself. */
const expected: readonly RegExp[] = [
	/^LICENSE$/,
	/^README\.md$/,
	/^package\.json$/,
	/^dist\/(nodes|credentials)\/.*\.(js|svg|node\.json)$/,
];

/**
 * Finds the files that don't belong in the n8n package, such as sources, tests or keys.
 *
 * @param files paths in the package
 */
export function unexpectedFiles(files: readonly string[]): string[] {
	return files.filter((file) => !expected.some((pattern) => pattern.test(file)));
}
