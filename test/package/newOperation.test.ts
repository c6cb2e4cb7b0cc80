import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readOperation } from '../../scripts/lib/operationFiles';

const ROOT = join(__dirname, '..', '..');
const bin = (name: string) => join(ROOT, 'node_modules', '.bin', name);

let copy: string;

/** The modules with tables of all operations. They import the rest. */
const TABLES = [
	'shared/index.ts',
	'nodes/MessagingService/MessagingService.node.ts',
	'sandbox/handlers/index.ts',
	'zapier/app.ts',
	'test/support/operationCases.ts',
];

beforeAll(() => {
	copy = mkdtempSync(join(tmpdir(), 'new-operation-'));
	for (const folder of ['shared', 'nodes', 'credentials', 'sandbox', 'zapier', 'test/support']) {
		mkdirSync(join(copy, folder), { recursive: true });
		const left = /node_modules|zapier\/build/;
		const filter = (path: string) => !left.test(path.slice(ROOT.length));
		cpSync(join(ROOT, folder), join(copy, folder), { recursive: true, filter });
	}
	cpSync(join(ROOT, '.oxfmtrc.json'), join(copy, '.oxfmtrc.json'));
	cpSync(join(ROOT, 'tsconfig.json'), join(copy, 'settings.json'));
	writeFileSync(join(copy, 'tsconfig.json'), JSON.stringify({ extends: './settings.json', include: TABLES }));
	symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
	symlinkSync(join(ROOT, 'zapier', 'node_modules'), join(copy, 'zapier', 'node_modules'));
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

function create(...args: readonly string[]) {
	const command = [join(ROOT, 'scripts', 'new-operation.ts'), ...args, '--root', copy];
	const { status, stdout, stderr } = spawnSync(bin('tsx'), command, { encoding: 'utf8' });
	return { status, stdout, stderr };
}
const read = (path: string) => readFileSync(join(copy, path), 'utf8');

describe('npm run new:operation', () => {
	it.each<[args: readonly string[], options: Parameters<typeof readOperation>[1], reason: string]>([
		[['Quote', 'GET', '/quotes'], {}, '"Quote" is not a name such as quote.get'],
		[['quote.get', 'PATCH', '/quotes'], {}, '"PATCH" is neither GET nor POST'],
		[['quote.get', 'GET', 'quotes'], {}, '"quotes" is not a path such as /quotes/{id}'],
		[['quote.get', 'GET', '/quotes', 'more'], {}, '"more" is not expected after the path'],
		[['quote.send', 'POST', '/quotes'], {}, 'A POST also needs --once'],
		[['quote.get', 'GET', '/quotes'], { charges: 'call' }, 'A call that costs money also needs --once'],
	])('rejects %j %j with the reason', (args, options, reason) => {
		expect(() => readOperation(args, options)).toThrow(reason);
	});

	it.each([
		[['quote.get', 'GET', '/quotes', '--paid'], "Unknown option '--paid'"],
		[['sms.cancel', 'POST', '/sms/{id}/cancel', '--once'], 'shared/contract/sms.ts exists. Add the operation by hand'],
	])('prints why it rejects %j and its usage, and writes nothing', (args, reason) => {
		const before = read('shared/contract/index.ts');
		const { status, stderr } = create(...args);
		expect(status).toBe(1);
		expect(stderr).toContain(reason);
		expect(stderr).toContain('Usage: npm run new:operation');
		expect(read('shared/contract/index.ts')).toBe(before);
	});

	it('writes operations that compile, in the order of their names, and overwrites nothing', () => {
		const { status, stdout } = create('quote.get', 'GET', '/quotes/{id}');
		expect([status, stdout]).toEqual([0, expect.stringContaining('  zapier/searches/getQuote.ts\n')]);
		expect(create('printJob.start', 'POST', '/print-jobs', '--once', '--charges', 'page').status).toBe(0);
		expect(create('quote.get', 'GET', '/quotes/{id}')).toMatchObject({
			status: 1,
			stderr: expect.stringContaining('shared/contract/quote.ts exists') as string,
		});
		const job = read('shared/contract/printJob.ts');
		for (const part of ["id: 'printJob.start'", "path: '/print-jobs'", "repeat: 'once'", "charges: 'page'"]) {
			expect(job).toContain(part);
		}
		const node = read('nodes/MessagingService/operations/quote/get.ts');
		expect(node).toContain("displayName: 'ID',");
		expect(node).toContain("action: 'Get a quote',");
		const index = read('nodes/MessagingService/operations/index.ts');
		const resources = [...index.matchAll(/^\t(\w+): \{ name: /gm)].map(([, name = '']) => name.toLowerCase());
		expect(resources).toEqual([...resources].sort());
		expect(resources).toEqual(expect.arrayContaining(['quote', 'printjob', 'sms']));
		expect(read('zapier/app.ts')).toContain('[startPrintJob.key]: startPrintJob,\n\t\t...privateCreates');
		const rows = [...read('test/support/operationCases.ts').matchAll(/^\t'([\w.]+)': \{/gm)].map(([, id = '']) => id);
		expect(rows).toEqual([...rows].sort());
		const compiled = spawnSync(bin('tsc'), ['-p', join(copy, 'tsconfig.json')], { encoding: 'utf8' });
		expect(compiled).toMatchObject({ status: 0, stdout: '' });
	}, 120_000);
});
