/** Files that name the version of a package of this project. `npm run generate` writes it into them. */
export const versionedFiles = [
	'README.md',
	'docker/compose.yaml',
	'docker/relay.Dockerfile',
	'docker/sandbox.Dockerfile',
	'.github/ISSUE_TEMPLATE/bug.yml',
] as const;

/** One of our packages with a version: an npm package, an image, a packed file, or a name in a form. */
const NAMED =
	/\b(n8n-nodes-messaging-service|messaging-service-(?:sandbox|relay))([@:\- ])(\d+\.\d+\.\d+(?:-[\da-z-]+(?:\.[\da-z-]+)*?)?)(?=\.tgz|[^\w.-]|\.?$|\.\s)/gim;

/**
 * Replaces the version of each of our packages in a text.
 * @example writeVersion('npm install messaging-service-relay@0.1.0', '0.2.0') // 'npm install messaging-service-relay@0.2.0'
 */
export function writeVersion(text: string, version: string): string {
	return text.replace(NAMED, (_all, name: string, separator: string) => `${name}${separator}${version}`);
}

/** The versions of our packages that a text names, each once. */
export function versionsIn(text: string): string[] {
	return [...new Set([...text.matchAll(NAMED)].flatMap(([, , , version]) => version ?? []))];
}
