import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { distTag, releaseProblems } from './lib/release/check';
import { writeOutputs } from './lib/release/outputs';
import { readRelease } from './lib/release/read';

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
	const release = readRelease(resolve(values.folder), tag, process.env);
	const problems = releaseProblems(release);
	for (const problem of problems) console.error(problem);
	if (problems.length > 0) {
		console.error('Nothing was published.');
		process.exitCode = 1;
		return;
	}
	writeOutputs({ 'dist-tag': distTag(release.version) });
	console.log(`Version ${release.version} may be published, under the dist-tag ${distTag(release.version)}.`);
}

main();
