import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '..', '..', '..');

/** The relay's packages are found from here. */
const cache = join(root, 'relay', 'node_modules', '.cache', 'tests');

/** A relay as npm installs it, and a database with its tables. */
interface BuiltRelay {
	/** The program in one file. */
	readonly program: string;
	/** The program with short times. See `quickProgram.ts`. */
	readonly quickProgram: string;
	/** The module `inProcess.ts` in one file. */
	readonly inProcess: string;
	/** A folder with a new database, in which nothing happened. */
	readonly empty: string;
}

let built: BuiltRelay | undefined;

/**
 * Builds the relay once for all tests, and again after a change. It then starts in a fraction of the time: from the
 * sources, Node.js compiles each file, and a new database takes seconds.
 */
export function builtRelay(): BuiltRelay {
	return (built ??= build());
}

function build(): BuiltRelay {
	const folder = join(cache, nameOfSources());
	if (!existsSync(folder)) {
		mkdirSync(cache, { recursive: true });
		const made = mkdtempSync(join(cache, 'new-'));
		const script = join(__dirname, 'buildRelay.ts');
		const { status, stderr } = spawnSync(process.execPath, ['--import', 'tsx', script, made], {
			cwd: root,
			encoding: 'utf8',
		});
		if (status !== 0) throw new Error(`The relay cannot be built: ${stderr}`);
		try {
			renameSync(made, folder);
		} catch {
			// Another worker was faster.
			rmSync(made, { recursive: true, force: true });
		}
	}
	return partsOf(folder);
}

function partsOf(folder: string): BuiltRelay {
	const file = (name: string) => join(folder, 'package', 'dist', `${name}.js`);
	return {
		program: file('messaging-service-relay'),
		quickProgram: file('quickProgram'),
		inProcess: file('inProcess'),
		empty: join(folder, 'empty'),
	};
}

/** A name that changes with each file that the program is made of. */
function nameOfSources(): string {
	const hash = createHash('sha256');
	const sources = [
		'{relay,shared,ui}/**/*.{ts,tsx,css,sql}',
		'scripts/lib/packages/*.ts',
		'test/support/relay/{buildRelay,inProcess,quick,quickProgram}.ts',
		'{,relay/}package-lock.json',
	];
	const files = globSync(sources, { cwd: root, exclude: (path) => path.endsWith('node_modules') });
	for (const file of files.sort()) hash.update(file).update(readFileSync(join(root, file)));
	return hash.digest('hex').slice(0, 16);
}

/** Copies the empty database to a folder. */
export function copyEmptyDatabase(folder: string): void {
	cpSync(builtRelay().empty, folder, { recursive: true });
}
