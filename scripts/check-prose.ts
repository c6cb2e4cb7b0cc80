import { relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { exceptions } from './lib/prose/allowed';
import { checkFiles, type FileFindings } from './lib/prose/check';

const usage = `npm run check:prose -- [options] [files or folders]

  --count          print the number of findings by rule and by folder
  --rule NAME      print the findings of one rule
  --help           print this
`;

/** `npm run check:prose`: checks every text that users or authors read. */
async function main(): Promise<void> {
	// `head` closes its end of the pipe.
	process.stdout.on('error', () => process.exit());
	const { values, positionals } = parseArgs({
		allowPositionals: true,
		options: {
			count: { type: 'boolean', default: false },
			rule: { type: 'string' },
			help: { type: 'boolean', default: false },
			folder: { type: 'string', default: resolve(import.meta.dirname, '..') },
		},
	});
	if (values.help) {
		process.stdout.write(usage);
		return;
	}
	const paths = positionals.map((path) => relative(values.folder, resolve(path)).replaceAll('\\', '/'));
	const { files, unused, checked } = await checkFiles(values.folder, { paths, exceptions });
	const shown = files
		.map(({ path, findings }) => ({
			path,
			findings: findings.filter(({ rule }) => values.rule === undefined || rule === values.rule),
		}))
		.filter(({ findings }) => findings.length > 0);
	if (values.count) printCounts(shown);
	else printFindings(shown);
	for (const { path, rule, text } of unused) {
		console.log(
			`scripts/lib/prose/allowed.ts: an exception is no longer needed (${path}, ${rule}${text ? `, ${text}` : ''})`,
		);
	}
	const total = shown.reduce((sum, { findings }) => sum + findings.length, 0);
	console.log(`${checked} files, ${total} findings`);
	if (total + unused.length > 0) process.exitCode = 1;
}

function printFindings(files: readonly FileFindings[]): void {
	for (const { path, findings } of files) {
		console.log(path);
		for (const { line, rule, found, advice, sentence } of findings) {
			console.log(`  ${line}: ${rule}: ${found.replace(/\s+/g, ' ')} (${advice})`);
			console.log(`      ${sentence.replace(/\s+/g, ' ')}`);
		}
	}
}

function printCounts(files: readonly FileFindings[]): void {
	const byRule = new Map<string, number>();
	const byFolder = new Map<string, number>();
	const add = (counts: Map<string, number>, key: string, more: number) =>
		counts.set(key, (counts.get(key) ?? 0) + more);
	for (const { path, findings } of files) {
		add(byFolder, path.includes('/') ? path.slice(0, path.lastIndexOf('/') + 1) : path, findings.length);
		for (const { rule } of findings) add(byRule, rule, 1);
	}
	for (const counts of [byRule, byFolder]) {
		for (const [key, count] of [...counts].sort(([, a], [, b]) => b - a))
			console.log(`${String(count).padStart(6)}  ${key}`);
		console.log();
	}
}

void main();
