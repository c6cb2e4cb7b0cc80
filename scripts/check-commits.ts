import { join } from 'node:path';
import { checkSubject, readHistory } from './lib/prose/commits';

/** `npm run check:commits`: checks the subjects of the commits since the rules hold. */
function main(): void {
	const history = readHistory(join(import.meta.dirname, '..'));
	if ('skipped' in history) {
		console.log(`Skipped: ${history.skipped}`);
		return;
	}
	const rejected = history.commits
		.map((commit) => ({ ...commit, problems: checkSubject(commit.subject) }))
		.filter(({ problems }) => problems.length > 0);
	for (const { id, subject, problems } of rejected) {
		console.log(`${id} ${subject}`);
		for (const problem of problems) console.log(`  ${problem}`);
	}
	console.log(`${history.commits.length} commits, ${rejected.length} rejected`);
	if (rejected.length > 0) process.exitCode = 1;
}

main();
