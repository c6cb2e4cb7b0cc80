import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { calls, charging, local, nameOf } from './golden/calls';
import { recordLocalRejections, untriedFields } from './golden/localRejections';
import { recordNetworkFailures } from './golden/networkFailures';
import { recordServiceRejections } from './golden/serviceRejections';
import { render } from './golden/table';
import { startHarness, type GoldenHarness } from './golden/goldenHarness';

const GOLDEN = join(__dirname, 'errors.golden.md');

let harness: GoldenHarness;
let table: string;

beforeAll(async () => {
	// Waits between tries, which are random, end at once.
	jest.spyOn(Math, 'random').mockReturnValue(0);
	harness = await startHarness();
	await harness.control.settings({ requests_per_second: 100_000 });
	await recordLocalRejections(harness);
	await recordServiceRejections(harness);
	await recordNetworkFailures(harness);
	table = render(harness.entries);
}, 300_000);
afterAll(async () => {
	jest.restoreAllMocks();
	await harness.sandbox.stop();
});

it('says what it said before (UPDATE_GOLDEN=1 writes it down anew)', () => {
	if (process.env.UPDATE_GOLDEN) writeFileSync(GOLDEN, table);
	expect(table).toBe(readFileSync(GOLDEN, 'utf8'));
});

describe('every text', () => {
	const texts = () => harness.entries.filter(({ shown }) => !shown[0]?.startsWith('{'));

	// Two full stops, a full stop before a colon, two spaces, and what JavaScript makes of a missing value or an object.
	const artifact = /\.\.|\.:| {2}|undefined|\[object|\.\)? \./;

	it('has no formatting artifacts', () => {
		expect(texts().length).toBeGreaterThan(100);
		expect(texts().filter(({ shown }) => artifact.test(shown.join('\n')))).toEqual([]);
	});

	it.each(['It failed..', 'It failed.: again', 'It  failed', 'undefined failed', '[object Object]', 'It failed. .'])(
		'would be caught with the formatting artifact in %j',
		(text) => {
			expect(text).toMatch(artifact);
		},
	);

	it('names fields as the editor does', () => {
		const wire = /\b(sender_id|schedule_at|return_url|verification_id|message_id|[a-z]+[A-Z]\w*)\b/;
		// What the system says stands in brackets, and codes are the service's.
		const named = texts().filter(({ shown }) => wire.test(shown.join('\n').replace(/\([^)]*\)/g, '')));
		expect(named).toEqual([]);
	});

	it('says what it means for the wallet, where money was at stake', () => {
		const names = new Set(charging.map(nameOf));
		const silent = texts().filter(
			({ where, shown }) => names.has(where) && !/charged|sent/.test(shown.slice(1).join(' ')),
		);
		expect(silent.map(({ failure }) => failure)).toEqual(['An expression that fails']);
	});
});

it('tries every field of every operation', () => {
	expect(untriedFields([...Object.keys(calls), ...Object.keys(local)])).toEqual([]);
});
