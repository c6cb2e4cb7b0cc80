import { join } from 'node:path';
import { operations } from '../../nodes/MessagingService/operations';
import { endRetryWaits } from '../support/endRetryWaits';
import { expectGolden, formattingArtifact as artifact, render } from '../support/golden';
import { calls, charging, local, nameOf } from './golden/calls';
import { recordLocalRejections, uncoveredFields } from './golden/localRejections';
import { recordNetworkFailures } from './golden/networkFailures';
import { recordRelayFailures } from './golden/relayFailures';
import { recordServiceRejections } from './golden/serviceRejections';
import { recordRunFailures } from './golden/runFailures';
import { startHarness, type GoldenHarness } from './golden/goldenHarness';

const GOLDEN = join(__dirname, 'errors.golden.md');
const HEADING = {
	title: 'What users read when something goes wrong',
	source: 'Messages and descriptions as the editor shows them, made by the node in n8n’s engine.',
	test: 'test/nodes/errors.golden.test.ts',
};

endRetryWaits();

let harness: GoldenHarness;
let table: string;

beforeAll(async () => {
	harness = await startHarness();
	await harness.control.settings({ requests_per_second: 100_000 });
	await recordLocalRejections(harness);
	await recordServiceRejections(harness);
	await recordRunFailures(harness);
	await recordNetworkFailures(harness);
	await recordRelayFailures(harness);
	table = render(HEADING, harness.entries);
}, 300_000);
afterAll(async () => {
	await harness.sandbox.stop();
});

it('shows users the same errors as errors.golden.md (UPDATE_GOLDEN=1 writes the file)', () => {
	expectGolden(GOLDEN, table);
});

describe('every error text', () => {
	const texts = () => harness.entries.filter(({ shown }) => !shown[0]?.startsWith('{'));

	it('has no formatting artifacts', () => {
		expect(texts().length).toBeGreaterThan(100);
		expect(texts().filter(({ shown }) => artifact.test(shown.join('\n')))).toEqual([]);
	});

	it.each(['It failed..', 'It failed.: again', 'It  failed', 'undefined failed', '[object Object]', 'It failed. .'])(
		'detects the formatting artifact in %j',
		(text) => {
			expect(text).toMatch(artifact);
		},
	);

	it('names fields as the editor does', () => {
		const wire = /\b(sender_id|schedule_at|return_url|verification_id|message_id|[a-z]+[A-Z]\w*)\b/;
		// Brackets contain words of the system and codes of the service.
		const named = texts().filter(({ shown }) => wire.test(shown.join('\n').replace(/\([^)]*\)/g, '')));
		expect(named).toEqual([]);
	});

	it('says what happened to the money after a failed operation that costs money', () => {
		const names = new Set(charging.map(nameOf));
		const silent = texts().filter(({ where, shown }) => names.has(where) && !/charged|sent/.test(shown.join(' ')));
		expect(silent.map(({ failure }) => failure)).toEqual(['An expression that fails']);
	});
});

it('the error table covers every field of every operation', () => {
	const ids = Object.entries<object>(operations).flatMap(([resource, table]) =>
		Object.keys(table).map((operation) => `${resource}.${operation}`),
	);
	expect([...Object.keys(calls), ...Object.keys(local)].sort()).toEqual([...ids].sort());
	expect(uncoveredFields(ids)).toEqual([]);
});
