import { NOTHING_SENT } from '../support/promises';
import { useSandbox } from '../support/useSandbox';
import { numbers, toList } from '../support/zapier/bulkStep';
import { haltedFor } from '../support/zapier/haltedFor';
import { driveApp, methods } from '../support/zapier/zapierTestApp';

/** A field that the Zap fills, but that is empty or invalid in a run, never means "now", "everyone" or a default. */
const { sandbox, control } = useSandbox();

type Inputs = Readonly<Record<string, unknown>>;
const attempt = (inputs: Inputs, raw: Inputs) =>
	driveApp({ base_url: sandbox.baseUrl, api_key: sandbox.apiKey }, { raw }).attempt(
		methods.sendBulkSms,
		toList(numbers(2), inputs),
	);

const FIELDS: ReadonlyArray<readonly [key: string, label: string]> = [
	['send_at', 'Send At'],
	['excluded_numbers', 'Excluded Numbers'],
	['numbers_per_request', 'Numbers per Request'],
	['skip_rejected_numbers', 'Skip Rejected Numbers'],
	['priority', 'Priority'],
	['default_country', 'Default Country'],
	['unknown_number_ranges', 'Unknown Number Ranges'],
	['landlines', 'Landlines'],
	['recipients_from', 'Recipients From'],
	['send_once_key', 'Send Once Key'],
	['dry_run', 'Dry Run'],
];

describe.each(FIELDS)('%s', (key, label) => {
	it.each<[string, unknown]>([
		['an empty text', ''],
		['no value', undefined],
		['null', null],
		['an empty list', []],
		['a list of empty values', ['', null]],
	])('halts if it is mapped and this run has %s', async (_, value) => {
		const { failure } = await attempt({ [key]: value }, { ...toList(numbers(2)), [key]: '{{123__field}}' });
		expect(failure).toMatchObject(haltedFor(label, NOTHING_SENT));
		expect(await control.requests()).toEqual([]);
	});

	if (key !== 'recipients_from') {
		it.each<[string, unknown]>([
			['an empty text', ''],
			['no value', undefined],
			['spaces', '  '],
			['an empty list', []],
		])('counts as left out if the Zap itself has %s in it', async (_, value) => {
			const { results } = await attempt({ [key]: value }, toList(numbers(2), { [key]: value }));
			expect(results).toMatchObject({ outcome: 'accepted', accepted: 2 });
		});
	}
});

it.each<[string, unknown, string]>([
	['send_at', { date: 'tomorrow' }, 'Send At'],
	['send_at', ['2030-01-01T00:00:00Z'], 'Send At'],
	['numbers_per_request', 'many', 'Numbers per Request'],
	['numbers_per_request', '2.5', 'Numbers per Request'],
	['numbers_per_request', ['5'], 'Numbers per Request'],
	['skip_rejected_numbers', 'perhaps', 'Skip Rejected Numbers'],
	['priority', { yes: true }, 'Priority'],
	['priority', 'perhaps', 'Priority'],
	['default_country', ['GH'], 'Default Country'],
	['unknown_number_ranges', ['allow'], 'Unknown Number Ranges'],
	['unknown_number_ranges', 'perhaps', 'Unknown Number Ranges'],
	['landlines', ['allow'], 'Landlines'],
	['landlines', 'perhaps', 'Landlines'],
	['recipients_from', 'lines', 'Recipients From'],
	['send_once_key', ['order 7'], 'Send Once Key'],
	['send_once_key', { id: 7 }, 'Send Once Key'],
	['dry_run', 'perhaps', 'Dry Run'],
	['dry_run', ['true'], 'Dry Run'],
])('halts if %s is %j', async (key, value, label) => {
	const { failure } = await attempt({ [key]: value }, toList(numbers(2), { [key]: value }));
	expect(failure).toMatchObject(haltedFor(label));
	expect(await control.requests()).toEqual([]);
});

it.each<[string, boolean]>([
	['yes', true],
	['TRUE', true],
	['1', true],
	['no', false],
	['false', false],
	['0', false],
])('reads %s in Priority as a yes or no', async (typed, priority) => {
	await attempt({ priority: typed }, toList(numbers(2)));
	expect((await control.messages()).map((sent) => sent.priority)).toEqual([priority, priority]);
});

it('accepts an Excluded Numbers list with one value that is empty in this run', async () => {
	const raw = toList(numbers(2), { excluded_numbers: ['{{123__unsubscribed}}', '0201234599'] });
	const { results } = await attempt({ excluded_numbers: ['', '0201234599'] }, raw);
	expect(results).toMatchObject({ accepted: 2 });
});
