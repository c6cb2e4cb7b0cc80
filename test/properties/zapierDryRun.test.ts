import { z } from 'zod/v4';
import { DAY_NAMES } from '../../shared';
import { fc, runCount } from '../support/random';
import { useSandbox } from '../support/useSandbox';
import { bulkOutput, sender_id } from '../support/zapier/bulkStep';
import { cacheServer } from '../support/zapier/cacheServer';
import { driveApp, methods } from '../support/zapier/zapierTestApp';

/** The sandbox's price of a segment. */
const PRICE = 0.05;

const spellings = [1, 2, 3, 4].flatMap((digit) => [`+23320123456${digit}`, `020 123 456${digit}`]);
const texts = ['We are open', 'x'.repeat(170), `Pay GH₵50 today. ${'Thank you. '.repeat(8)}`, 'Akwaaba 👋', ' \n'];
const campaigns = fc.record({
	entries: fc.array(
		fc.record({
			to: fc.oneof(
				{ weight: 6, arbitrary: fc.constantFrom(...spellings) },
				{ weight: 1, arbitrary: fc.constantFrom('12', 'Ama') },
			),
			text: fc.nat({ max: texts.length - 1 }),
		}),
		{ minLength: 1, maxLength: 8 },
	),
	ofLines: fc.boolean(),
	excluded: fc.option(fc.constantFrom(...spellings), { nil: undefined }),
	numbers_per_request: fc.constantFrom('', '1', '2'),
	keyed: fc.boolean(),
	outside: fc.constantFrom(undefined, undefined, 'schedule', 'skip', 'stop'),
	/** Whether the step is outside the Sending Hours. */
	over: fc.boolean(),
});
type Campaign = typeof campaigns extends fc.Arbitrary<infer Value> ? Value : never;

const usual: Campaign = {
	entries: [
		{ to: '+233201234561', text: 0 },
		{ to: '+233201234562', text: 0 },
	],
	ofLines: false,
	excluded: undefined,
	numbers_per_request: '',
	keyed: false,
	outside: undefined,
	over: false,
};

/** Campaigns with each important case, on any day and at any time. */
const examples: Array<[campaign: Campaign]> = [
	[{ ...usual, excluded: '+233201234562' }],
	[{ ...usual, entries: [...usual.entries, { to: '+233201234563', text: 4 }], ofLines: true }],
	[{ ...usual, over: true, outside: 'schedule' }],
	[{ ...usual, over: true, outside: 'skip' }],
	[{ ...usual, over: true, outside: 'stop' }],
];

const realOutput = bulkOutput.extend({
	total_segments: z.number(),
	cost: z.number().nullable(),
	balance: z.number().nullable(),
	send_at: z.string().nullable(),
	schedule_reason: z.string().nullable(),
	allowed_at: z.string().nullable(),
});
const dryOutput = realOutput.extend({
	dry_run: z.literal(true),
	would_send: z.number(),
	would_skip: z.number(),
	balance_now: z.number(),
});

const { sandbox, control } = useSandbox();

/** Hours of all day on one day of the week or two: today, and tomorrow in case midnight passes, or another day. */
function hoursOf({ outside, over }: Campaign): Readonly<Record<string, unknown>> {
	if (outside === undefined) return {};
	const name = (days: number) => DAY_NAMES[new Date(Date.now() + days * 86_400_000).getUTCDay()]?.toLowerCase();
	return {
		hours_from: '00:00',
		hours_until: '24:00',
		hours_time_zone: 'Africa/Accra',
		sending_days: over ? [name(3)] : [name(0), name(1)],
		outside_hours: outside,
	};
}

function inputsOf(campaign: Campaign) {
	const { entries, ofLines, excluded, numbers_per_request, keyed } = campaign;
	const common = {
		...hoursOf(campaign),
		sender_id,
		numbers_per_request,
		excluded_numbers: excluded === undefined ? [] : [excluded],
		send_once_key: keyed ? 'campaign 7' : '',
		price_per_segment: String(PRICE),
	};
	if (!ofLines) {
		const message = texts[entries[0]?.text ?? 0];
		return { ...common, recipients_from: 'list', message, to: entries.map(({ to }) => to) };
	}
	const lines = entries.map(({ to, text }) => ({ line_to: to, line_message: texts[text] }));
	return { ...common, recipients_from: 'line_items', lines };
}

it('a dry run of Send Bulk SMS predicts the rows, reasons and cost of the real run', async () => {
	const seen = { equal: 0, failed: 0, skipped: 0, rejected: 0, moved: 0, outside: 0 };
	await fc.assert(
		fc.asyncProperty(campaigns, async (campaign) => {
			await control.reset();
			await using cache = await cacheServer();
			const inputs = inputsOf(campaign);
			const app = driveApp({ base_url: sandbox.baseUrl, api_key: sandbox.apiKey }, { rpc_base: cache.rpcBase });
			const { balance: before } = await control.wallet();
			const dry = await app.attempt(methods.sendBulkSms, { ...inputs, dry_run: 'yes' });
			expect(await control.messages()).toEqual([]);
			expect((await control.wallet()).balance).toBe(before);
			expect(cache.sets).toEqual([]);
			const real = await app.attempt(methods.sendBulkSms, inputs);
			expect(dry.failure).toEqual(real.failure);
			if (dry.failure) {
				seen.failed++;
				return;
			}
			seen.equal++;
			const [predicted, fact] = [dryOutput.parse(dry.results), realOutput.parse(real.results)];
			const words: Readonly<Record<string, string>> = { would_send: 'accepted', would_skip: 'skipped' };
			const rowOf = ({
				to,
				outcome,
				reason,
				line,
				sender_id: sender,
				segment_count,
			}: (typeof fact.results)[number]) => ({
				to,
				outcome: words[outcome] ?? outcome,
				reason,
				line,
				sender,
				segment_count,
			});
			expect(predicted.results.map(rowOf)).toEqual(fact.results.map(rowOf));
			const timesOf = ({ send_at, schedule_reason, allowed_at }: typeof fact) => [send_at, schedule_reason, allowed_at];
			expect(timesOf(predicted)).toEqual(timesOf(fact));
			if (predicted.schedule_reason !== null) seen.moved++;
			if (predicted.outcome === 'would_skip') seen.outside++;
			seen.skipped += predicted.would_skip;
			seen.rejected += predicted.rejected;
			expect([predicted.would_send, predicted.would_skip, predicted.rejected]).toEqual([
				fact.accepted,
				fact.skipped,
				fact.rejected,
			]);
			expect([predicted.total, predicted.requests, predicted.total_segments]).toEqual([
				fact.total,
				fact.requests,
				fact.total_segments,
			]);
			const { balance: after } = await control.wallet();
			expect(predicted.balance_now).toBe(before);
			expect(predicted.cost).toBeCloseTo(before - after, 6);
			const costs = z.array(z.object({ cost: z.number().nullable() })).parse(predicted.results);
			expect(costs.reduce((sum, { cost }) => sum + (cost ?? 0), 0)).toBeCloseTo(before - after, 6);
			expect(predicted.balance).toBeCloseTo(after, 6);
			// A message that the hours skip uses no key.
			if (!campaign.keyed || predicted.outcome === 'would_skip') return;
			const again = await app.run(methods.sendBulkSms, { ...inputs, dry_run: 'yes' });
			expect(again).toMatchObject({ dry_run: true, outcome: 'would_skip', already_sent: true });
			expect((await control.wallet()).balance).toBe(after);
		}),
		{ numRuns: runCount(50), examples },
	);
	// All important cases must be among the examples.
	for (const [name, times] of Object.entries(seen)) expect([name, times > 0]).toEqual([name, true]);
}, 240_000);
