import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');
const guide = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
const recipe = /## Add an operation\n([\s\S]*?)\n## /.exec(guide)?.[1] ?? '';

/** Phone lookup in code and prose. */
const NAMES = 'look ?up|look_up';
/** Files with another meaning of the word, or that no one would edit for a new operation. */
const OTHERS = new Set([
	'CONTRIBUTING.md',
	'test/docs/placesOfOperation.test.ts',
	// Another look-up: in a table, of a host name, of a package, in n8n's node for Google Sheets.
	'examples/review-after-visit.json',
	'shared/contract/recognize.ts',
	'shared/text/gsm7.ts',
	'shared/transport.ts',
	'test/package/lockFiles.test.ts',
	// Words for the search in n8n's node panel.
	'nodes/MessagingService/MessagingService.node.json',
	'test/nodes/discovery.test.ts',
	// An operation that costs money and sends nothing.
	'test/nodes/sentFields.test.ts',
	'test/zapier/readingErrors.test.ts',
	// Each kind of call that may have a Send Once Key.
	'test/nodes/sendOnce.test.ts',
	// A comment that contrasts a valid number with one in use.
	'shared/phone/phoneNumber.ts',
	// An example in a comment, which a migration keeps forever.
	'sandbox/store/migrations/0002-whole-service.sql',
]);
/** Files that `npm run generate` writes completely. */
const GENERATED = new Set(['docs/openapi.json', 'docs/relay-openapi.json']);
/** The files that name phone lookup and would be created or edited if the operation were new. */
function places(): string[] {
	// The relay looks up host names, and knows no operation.
	const relay = [':!relay', ':!test/relay', ':!test/support/relay'];
	// The doctor checks the open questions of the API, not the operations.
	const services = [':!test/support/secondService.ts', ':!test/support/foreignServices.ts'];
	const doctor = [':!doctor', ':!test/doctor', ...services, ':!docs/doctor.md'];
	const elsewhere = [':!docs/decisions', ...relay, ...doctor];
	const search = ['grep', '--no-index', '--exclude-standard', '-liE', NAMES, '--', '.', ...elsewhere];
	const found = execFileSync('git', search, { cwd: ROOT, encoding: 'utf8' });
	return found.split('\n').filter((path) => path !== '' && !OTHERS.has(path));
}

describe('the recipe for an operation in CONTRIBUTING.md', () => {
	const paths = [...recipe.matchAll(/`([\w./-]+\.(?:ts|md|json|snap))`/g)].map(([, path = '']) => path);

	it('names files that exist', () => {
		const full = paths.filter((path) => path.includes('/') && !path.startsWith('host/'));
		expect(full.length).toBeGreaterThan(15);
		expect(full.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
	});

	it('names every place of phone lookup, of which at most 20 are not generated', () => {
		const all = places();
		expect(all.filter((path) => !paths.includes(path))).toEqual([]);
		expect(all).toContain('shared/contract/lookup.ts');
		expect(all.filter((path) => !GENERATED.has(path)).length).toBeLessThanOrEqual(20);
	});
});
