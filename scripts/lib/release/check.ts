import { exampleFields, type Owner } from '../owner';

/** Everything that decides whether a version may be published. */
export interface Release {
	/** The Git tag, such as `1.2.3`. */
	readonly tag: string;
	/** Version in `package.json`. */
	readonly version: string;
	/** Versions in `package-lock.json`: of the file, and of its root package. */
	readonly lockedVersions: readonly (string | undefined)[];
	/** Files that name another version of one of the packages. */
	readonly otherVersions: readonly string[];
	/** Text of `CHANGELOG.md`. */
	readonly changelog: string;
	readonly owner: Owner;
	/** Repository in which a workflow runs, such as `https://github.com/owner/name`; undefined outside of one. */
	readonly workflowRepository: string | undefined;
	/** Files with changes that are not committed. */
	readonly changedFiles: readonly string[];
}

/** Versions of Semantic Versioning, without build metadata. */
const VERSION = /^\d+\.\d+\.\d+(-[\da-z-]+(\.[\da-z-]+)*)?$/i;

/**
 * Finds every reason not to publish a version.
 *
 * @returns one sentence or two for each problem, with the next step; empty if the version may be published
 */
export function releaseProblems(release: Release): string[] {
	const { tag, version, owner, workflowRepository, changedFiles } = release;
	const problems: string[] = [];
	if (!VERSION.test(version)) {
		problems.push(`The version ${version} in package.json is not valid. Use one like 1.2.3 or 1.3.0-beta.1.`);
	}
	if (tag !== version) {
		problems.push(
			`The tag ${tag} is not the version ${version} in package.json. Delete the tag, or change the version, then tag again.`,
		);
	}
	if (release.lockedVersions.some((locked) => locked !== version)) {
		problems.push(`package-lock.json has another version than package.json. Run npm install, and commit the file.`);
	}
	if (release.otherVersions.length > 0) {
		problems.push(
			`These files name another version: ${release.otherVersions.join(', ')}. Run npm run generate, and commit them.`,
		);
	}
	if (changelogSection(release.changelog, version) === '') {
		problems.push(
			`CHANGELOG.md has no section for ${version}. Give its changes a heading "## ${version}", below "## Unreleased".`,
		);
	}
	const examples = exampleFields(owner);
	if (examples.length > 0) {
		problems.push(
			`owner.json still has examples in ${examples.join(', ')}. Enter your own names, then run npm run generate.`,
		);
	}
	if (workflowRepository !== undefined && workflowRepository !== owner.repository) {
		problems.push(
			`The workflow runs in ${workflowRepository}, but owner.json names ${owner.repository}. npm accepts provenance only from the named one.`,
		);
	}
	if (changedFiles.length > 0) {
		problems.push(`These files have changes that are not committed: ${changedFiles.join(', ')}. Commit or undo them.`);
	}
	return problems;
}

/**
 * Reads the changes of a version from a changelog with a heading `## VERSION`, with or without a date.
 *
 * @returns the text below the heading, without white space around it; empty without such a heading
 */
export function changelogSection(changelog: string, version: string): string {
	const [, ...sections] = changelog.split(/^## /m);
	const section = sections.find((text) => /^\[?([^\]\s]+)/.exec(text)?.[1] === version);
	return section?.replace(/^.*\n?/, '').trim() ?? '';
}

/**
 * The dist-tag for npm. A version with a hyphen, such as `1.3.0-beta.1`, must not become the one that everyone installs.
 */
export function distTag(version: string): 'latest' | 'next' {
	return version.includes('-') ? 'next' : 'latest';
}
