import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod/v4';
import { readOwner } from './lib/owner';
import { distTag, releaseProblems } from './lib/release/check';
import { versionedFiles, versionsIn } from './lib/release/versionedFiles';
import { writeOutputs } from './lib/release/outputs';

const manifest = z.looseObject({ version: z.string() });
const lockFile = z.looseObject({
	version: z.string().optional(),
	packages: z.looseObject({ '': z.looseObject({ version: z.string().optional() }) }),
});

/**
 * `npm run release:check -- --tag TAG`: checks whether the version of the n8n package may be published. Prints each problem and
 * exits with 1, or sets the output `dist-tag` of a workflow.
 */
function main(): void {
	const { values } = parseArgs({
		options: { tag: { type: 'string' }, folder: { type: 'string', default: join(import.meta.dirname, '..') } },
	});
	const { tag } = values;
	if (tag === undefined || tag === '') {
		console.error('Usage: npm run release:check -- --tag TAG');
		process.exitCode = 2;
		return;
	}
	const root = resolve(values.folder);
	const read = (path: string) => readFileSync(join(root, path), 'utf8');
	const { version } = manifest.parse(JSON.parse(read('package.json')));
	const locked = lockFile.parse(JSON.parse(read('package-lock.json')));
	const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository } = process.env;
	const problems = releaseProblems({
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
	});
	for (const problem of problems) console.error(problem);
	if (problems.length > 0) {
		console.error('Nothing was published.');
		process.exitCode = 1;
		return;
	}
	writeOutputs({ 'dist-tag': distTag(version) });
	console.log(`Version ${version} may be published, under the dist-tag ${distTag(version)}.`);
}

function changedFiles(root: string): string[] {
	const status = execFileSync('git', ['status', '--porcelain=v1', '-z'], { cwd: root, encoding: 'utf8' });
	return status
		.split('\0')
		.filter((entry) => entry !== '')
		.map((entry) => entry.replace(/^.{2} /, ''));
}

main();
