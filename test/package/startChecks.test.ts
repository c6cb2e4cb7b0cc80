import { spawnSync } from 'node:child_process';
import {
	chmodSync,
	cpSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(__dirname, '..', '..');
let copy: string;
let programs: string;

/** Stands in for npm. It notes the folder, and installs a driver that does not load, as if there were no prebuilt one. */
const npm = `#!/bin/sh
if [ "$1" = --version ]; then echo 11.0.0; exit 0; fi
echo "$PWD" >> "$NPM_LOG"
/bin/mkdir -p node_modules/sqlite3
`;

function addProgram(name: string, text: string): void {
	const file = join(programs, name);
	writeFileSync(file, text);
	chmodSync(file, 0o755);
}

beforeEach(() => {
	copy = mkdtempSync(join(tmpdir(), 'start-checks-'));
	programs = join(copy, 'programs');
	mkdirSync(programs);
	cpSync(join(root, 'scripts'), join(copy, 'scripts'), {
		recursive: true,
		filter: (path) => !path.includes('node_modules'),
	});
	for (const file of ['package.json', 'package-lock.json']) cpSync(join(root, file), join(copy, file));
	symlinkSync(process.execPath, join(programs, 'node'));
	addProgram('npm', npm);
});
afterEach(() => rmSync(copy, { recursive: true, force: true }));

/**
 * Runs a command on a machine that has only the given programs.
 * @param preload code that runs before it
 */
function start(preload = '', script = 'start.mjs') {
	const log = join(copy, 'npm.log');
	const first = join(copy, 'first.mjs');
	writeFileSync(first, preload);
	const run = spawnSync(process.execPath, ['--import', first, join(copy, 'scripts', script)], {
		encoding: 'utf8',
		env: { PATH: programs, NPM_LOG: log },
		timeout: 25_000,
	});
	const installed = existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [];
	return { status: run.status, errors: run.stderr, installed };
}

describe('npm start on a new machine', () => {
	it('names the missing compiler and the command that installs it, before a long installation', () => {
		addProgram('apt-get', '#!/bin/sh\n');
		const { status, errors, installed } = start();
		expect(errors).toContain('a C++ compiler, make, python3');
		expect(errors).toContain('sudo apt-get install -y g++ make python3');
		expect(status).toBe(1);
		expect(installed).toEqual([join(copy, '.local', 'n8n-sqlite')]);
	});

	it('names only the tools that are missing', () => {
		addProgram('dnf', '#!/bin/sh\n');
		for (const name of ['make', 'python3']) addProgram(name, '#!/bin/sh\necho 3\n');
		const { errors } = start();
		expect(errors).toContain('Missing on this machine: a C++ compiler.');
		expect(errors).toContain('sudo dnf install -y gcc-c++\n');
	});

	it.each([
		['npm installs with the package', 'echo "module.exports = {}" > node_modules/sqlite3/index.js'],
		[
			'the package downloads after it',
			`/bin/mkdir -p node_modules/prebuild-install
echo 'require("fs").writeFileSync("index.js", "")' > node_modules/prebuild-install/bin.js`,
		],
	])('demands no compiler for a prebuilt database driver that %s', (_way, lines) => {
		addProgram('npm', `${npm}${lines}\n`);
		addProgram('apt-get', '#!/bin/sh\n');
		const { errors, installed } = start();
		expect(errors).not.toMatch(/compiler|g\+\+|python3|Missing on this machine/);
		// The next step installs the packages of the project. The stand-in installs none, so the command ends there.
		expect([...new Set(installed)]).toEqual([join(copy, '.local', 'n8n-sqlite'), copy]);
	});

	it.each([
		['asks the registry again if the lock file is newer than the versions in npm’s cache', 'ETARGET', 2],
		['installs nothing twice if npm fails for another reason', 'E404', 1],
	])('%s', (_what, code, times) => {
		const fail = `case "$*" in *--prefer-offline*) echo "npm error code ${code}"; exit 1;; esac`;
		addProgram('npm', npm.replace('/bin/mkdir', `${fail}\n/bin/mkdir`));
		const { errors, installed } = start();
		expect(installed).toEqual(Array(times).fill(join(copy, '.local', 'n8n-sqlite')));
		expect(errors).toContain(times === 1 ? 'npm error code E404' : 'a C++ compiler');
	});

	it('says how much room is missing on the disk, before it installs anything', () => {
		const { status, errors, installed } = start(`
			import fs from 'node:fs';
			import { syncBuiltinESMExports } from 'node:module';
			fs.statfsSync = () => ({ bavail: 1_000_000, bsize: 1000 });
			syncBuiltinESMExports();
		`);
		expect(errors).toContain('needs 3 GB free');
		expect(errors).toContain('which has 1.0 GB');
		expect([status, installed]).toEqual([1, []]);
	});

	it('says which Node it needs, before it installs anything', () => {
		const { status, errors, installed } = start(`
			Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.0' } });
		`);
		expect(errors).toContain('Node 18.20.0 is too old.');
		expect([status, installed]).toEqual([1, []]);
	});

	it('says where to get npm', () => {
		rmSync(join(programs, 'npm'));
		const { status, errors } = start();
		expect(errors).toContain('npm is missing or does not run.');
		expect(status).toBe(1);
	});
});

describe.each(['build.mjs', 'install-n8n.mjs', 'install-n8n-scan.mjs'])('%s on a new machine', (script) => {
	it('installs the packages of the project first', () => {
		// The stand-in installs none, so the command ends there.
		const { status, installed } = start('', script);
		expect(installed[0]).toBe(copy);
		expect(status).toBe(1);
	});
});
