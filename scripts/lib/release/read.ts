import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod/v4';
import { readOwner } from '../owner';
import type { Release } from './check';
import { versionedFiles, versionsIn } from './versionedFiles';

const manifest = z.looseObject({ version: z.string() });
const lockFile = z.looseObject({
	version: z.string().optional(),
	packages: z.looseObject({ '': z.looseObject({ version: z.string().optional() }) }),
});

/**
 * Reads everything that decides whether a version may be published.
 *
 * @param root the folder of the repository
 * @param tag the Git tag
 * @param environment of a workflow of GitHub, or of no workflow
 * @throws Error if a file is missing or not valid
 */
export function readRelease(root: string, tag: string, environment: NodeJS.ProcessEnv): Release {
	const read = (path: string) => readFileSync(join(root, path), 'utf8');
	const { version } = manifest.parse(JSON.parse(read('package.json')));
	const locked = lockFile.parse(JSON.parse(read('package-lock.json')));
	const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository } = environment;
	return {
		tag,
		version,
		lockedVersions: [locked.version, locked.packages[''].version],
		otherVersions: versionedFiles.filter(
			(path) => existsSync(join(root, path)) && versionsIn(read(path)).some((named) => named !== version),
		),
		changelog: read('CHANGELOG.md'),
		owner: readOwner(root),
		workflowRepository: repository ? `${server ?? 'https://github.com'}/${repository}` : undefined,
		changedFiles: changedFiles(root),
	};
}

function changedFiles(root: string): string[] {
	const status = execFileSync('git', ['status', '--porcelain=v1', '-z'], { cwd: root, encoding: 'utf8' });
	return status
		.split('\0')
		.filter((entry) => entry !== '')
		.map((entry) => entry.replace(/^.{2} /, ''));
}
