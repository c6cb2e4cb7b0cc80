import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { countSegments, DAY_NAMES } from '../../shared';
import { deduplicationStore } from '../support/n8n/deduplicationStore';
import { startEngine, type Engine, type NodeResult } from '../support/n8n/engine';
import { fc, runCount } from '../support/random';
import { useSandbox } from '../support/useSandbox';

/** Number of generated campaigns. 1,000 take some minutes. */
const RUNS = runCount(150);

/** The sandbox's price of a segment. */
const PRICE = 0.05;

const SEND_AT = '2031-01-01T09:00:00Z';

const spellings = [1, 2, 3, 4].flatMap((digit) => [
	`+23320123456${digit}`,
	`020 123 456${digit}`,
	`0023320-123456${digit}`,
]);
const texts = [
	'We are open on Boxing Day',
	'x'.repeat(170),
	`Pay GH₵50 today. ${'Thank you for your order. '.repeat(4)}`,
	'Akwaaba 👋',
	'Fɛɛ sɛ wobɛba',
	' \n',
	'y'.repeat(1601),
];

const number = fc.oneof(
	{ weight: 9, arbitrary: fc.constantFrom(...spellings) },
	{ weight: 1, arbitrary: fc.constantFrom('12', 'Ama', '', '2.33201E+11') },
);
const campaigns = fc.record({
	operation: fc.constantFrom('send', 'sendBulk', 'sendLater'),
	items: fc.array(
		fc.record({
			to: fc.array(number, { minLength: 1, maxLength: 4 }),
			text: fc.oneof(
				{ weight: 5, arbitrary: fc.nat({ max: 4 }) },
				{ weight: 1, arbitrary: fc.nat({ max: texts.length - 1 }) },
			),
			key: fc.nat({ max: 4 }),
		}),
		{ minLength: 1, maxLength: 6 },
	),
	excluded: fc.option(fc.array(fc.constantFrom(...spellings), { minLength: 1, maxLength: 2 }), { nil: undefined }),
	keyed: fc.boolean(),
	priced: fc.boolean(),
	maxRecipients: fc.constantFrom(undefined, undefined, 2, 5, 0),
	maxSpend: fc.constantFrom(undefined, undefined, 0.1, 0.5),
	checkBalance: fc.constantFrom(undefined, undefined, 'stop', 'warn'),
	poor: fc.boolean(),
	recipientsPerRequest: fc.constantFrom(1, 2, 10),
	skipRejectedNumbers: fc.boolean(),
	/** Undefined without Sending Hours. */
	outside: fc.constantFrom(undefined, undefined, 'schedule', 'skip', 'stop'),
	/** Whether the hours are over for all items, for none, or for some. */
	over: fc.constantFrom('none', 'all', 'some'),
	onError: fc.constantFrom('stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'),
});
type Campaign = typeof campaigns extends fc.Arbitrary<infer Value> ? Value : never;

const { sandbox, control } = useSandbox();
let engine: Engine;
let count = 0;

beforeAll(async () => {
	engine = await startEngine({
		messagingServiceApi: { baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey, authHeader: 'X-API-Key' },
	});
});

/** Hours of all day on some days. All times of a campaign are on one day or the other. */
function hoursOf({ outside = 'skip' }: Campaign): INodeParameters {
	const days = '={{ $json.days }}';
	return { from: '00:00', until: '24:00', days, timeZone: 'Africa/Accra', holidays: '', outside };
}

/** The day of the week on which the messages of a campaign leave, and the day after the next one. */
function daysOf({ operation }: Campaign): { readonly open: string; readonly closed: string } {
	const leaving = operation === 'sendLater' ? Date.parse(SEND_AT) : Date.now();
	const name = (days: number) => DAY_NAMES[new Date(leaving + days * 86_400_000).getUTCDay()] ?? '';
	// The day after counts as open too, in case midnight passes between the two runs.
	return { open: `${name(0)}, ${name(1)}`, closed: name(3) };
}

function parametersOf(campaign: Campaign, dryRun: boolean): INodeParameters {
	const { operation, keyed, priced, maxRecipients, maxSpend, checkBalance, excluded } = campaign;
	const bulk = operation === 'sendBulk';
	return {
		resource: 'sms',
		operation,
		senderId: { __rl: true, mode: 'name', value: 'KOFISHOP' },
		to: '={{ $json.to }}',
		message: '={{ $json.text }}',
		...(operation === 'sendLater' && { sendAt: SEND_AT }),
		options: {
			// One after the other, so that both runs have the same order of failures and balances.
			parallelRequests: 1,
			...(dryRun && { dryRun }),
			...(priced && { pricePerSegment: PRICE }),
			...(keyed && { sendOnceKey: '={{ $json.key }}' }),
			...(maxRecipients !== undefined && { maxRecipients }),
			...(maxSpend !== undefined && { maxSpend }),
			...(checkBalance !== undefined && { checkBalance }),
			...(campaign.outside !== undefined && { sendingHours: { values: hoursOf(campaign) } }),
			...(bulk && {
				recipientsPerRequest: campaign.recipientsPerRequest,
				skipRejectedNumbers: campaign.skipRejectedNumbers,
				...(excluded && { excludedNumbers: excluded.join(', ') }),
			}),
		},
	};
}

function itemsOf(campaign: Campaign) {
	const { operation, items, over } = campaign;
	const { open, closed } = daysOf(campaign);
	return items.map(({ to, text, key }, index) => ({
		to: operation === 'sendBulk' ? to.join('; ') : to[0],
		text: texts[text],
		key: `${count} key ${key}`,
		days: over === 'all' || (over === 'some' && index % 2 === 1) ? closed : open,
	}));
}

const detailsOf = ({ details }: IDataObject): IDataObject => Object(details) as IDataObject;
const outcomeOf = (row: IDataObject) => row.outcome ?? detailsOf(row).outcome;
const PREDICTED: Readonly<Record<string, string>> = { accepted: 'would_send', skipped: 'would_skip' };

/** The facts of a real row that a dry run predicts, in its words. */
function predictable(row: IDataObject): IDataObject {
	const outcome = outcomeOf(row) as string;
	const { to, sender_id, segment_count, reason, error } = row;
	// A row of a used key may have the fields of the first message.
	const size = outcome === 'accepted' ? { sender_id, segment_count } : {};
	return { to, ...size, ...timesOf(row), outcome: PREDICTED[outcome] ?? outcome, reason, error };
}

function predicted(row: IDataObject): IDataObject {
	const outcome = outcomeOf(row);
	const { to, sender_id, segment_count, reason, error } = row;
	const size = outcome === 'would_send' ? { sender_id, segment_count } : {};
	return { to, ...size, ...timesOf(row), outcome, reason, error };
}

/** The times of a row that is sent or outside the hours. Rows of a used key may have those of the first message. */
function timesOf({ outcome, reason, schedule_at, schedule_reason, allowed_at }: IDataObject): IDataObject {
	if (reason === 'outside_sending_hours') return { allowed_at };
	const isSent = outcome === 'accepted' || outcome === 'would_send';
	return isSent ? { schedule_at, schedule_reason, allowed_at } : {};
}

/** Rows on all outputs with rows, without the summary of a bulk send. */
const rowsOf = ({ outputs }: NodeResult, { operation }: Campaign) =>
	outputs.map((output, index) => (operation === 'sendBulk' && index === 1 ? [] : output.map(({ json }) => json)));

const seen = {
	equal: 0,
	stopped: 0,
	skipped: 0,
	rejected: 0,
	blocked: 0,
	priced: 0,
	cheaper: 0,
	moved: 0,
	outside: 0,
	hoursStopped: 0,
};

function compare(campaign: Campaign, dry: NodeResult, real: NodeResult, before: number, after: number): void {
	expect([dry.status, dry.error?.message]).toEqual([real.status, real.error?.message]);
	if (dry.error) {
		seen.stopped++;
		if (dry.error.message.startsWith('Sending Hours')) seen.hoursStopped++;
		return;
	}
	const [predictions, facts] = [rowsOf(dry, campaign), rowsOf(real, campaign)];
	// A single real row of a used key has no recipient unless the first message is known.
	const isBulk = campaign.operation === 'sendBulk';
	const sameTo = (rows: IDataObject[][]) =>
		rows.map((output) =>
			output.map((row) => (isBulk || row.outcome === 'would_send' ? row : { ...row, to: undefined })),
		);
	expect(sameTo(predictions.map((output) => output.map(predicted)))).toEqual(
		sameTo(facts.map((output) => output.map(predictable))),
	);
	seen.equal++;
	for (const [output, rows] of predictions.entries()) {
		for (const [place, row] of rows.entries()) {
			const fact = facts[output]?.[place] ?? {};
			expect(row.dry_run ?? detailsOf(row).dry_run).toBe(true);
			if (row.outcome === 'would_skip') seen.skipped++;
			if (row.reason === 'outside_sending_hours') seen.outside++;
			if (row.schedule_reason !== undefined) seen.moved++;
			if (outcomeOf(row) === 'rejected') seen.rejected++;
			if (outcomeOf(row) === 'not_attempted') seen.blocked++;
			if (row.cheaper_message !== undefined) {
				seen.cheaper++;
				const { segment_count } = countSegments(row.cheaper_message as string);
				expect(segment_count).toBe(Number(row.segment_count) - Number(row.segments_saved));
			}
			if (isBulk || row.outcome !== 'would_send') continue;
			expect(row.balance_now).toBe(before);
			if (!campaign.priced) expect(row).not.toHaveProperty('cost');
			else expect(row.cost).toBe(fact.cost);
		}
	}
	const total = predictions.flat().reduce((sum, { cost }) => sum + Number(cost ?? 0), 0);
	if (campaign.priced) {
		seen.priced++;
		expect(total).toBeCloseTo(before - after, 6);
		// Messages to one number wait for each other, so a real row can have a later balance than the next one.
		const last = predictions.flat().findLast(({ outcome }) => outcome === 'would_send');
		if (last && !isBulk) expect(last.balance).toBeCloseTo(after, 6);
	}
	const [summary, fact] = [dry, real].map(({ outputs }) => outputs[1]?.[0]?.json);
	expect(dry.hints.filter((hint) => hint.includes('Dry Run'))).toHaveLength(1);
	if (!isBulk) return;
	expect(fact).toBeDefined();
	compareSummaries(campaign, summary ?? {}, fact ?? {}, before, after);
}

function compareSummaries(
	campaign: Campaign,
	summary: IDataObject,
	fact: IDataObject,
	before: number,
	after: number,
): void {
	expect({
		total: summary.total,
		accepted: summary.would_send,
		skipped: summary.would_skip,
		skipped_by_reason: summary.would_skip_by_reason,
		rejected: summary.rejected,
		not_attempted: summary.not_attempted,
		requests: summary.requests,
		total_segments: summary.total_segments,
	}).toEqual({
		total: fact.total,
		accepted: fact.accepted,
		skipped: fact.skipped,
		skipped_by_reason: fact.skipped_by_reason,
		rejected: fact.rejected,
		not_attempted: fact.not_attempted,
		requests: fact.requests,
		total_segments: fact.total_segments,
	});
	if (!campaign.priced) return;
	expect(summary.cost).toBeCloseTo(before - after, 6);
	expect(summary.balance).toBeCloseTo(after, 6);
}

/** The first item has a key, but no valid number. Both messages together cost more than the wallet holds. */
const keyOfInvalidNumber: Campaign = {
	operation: 'sendBulk',
	items: [
		{ to: ['12'], text: 0, key: 0 },
		{ to: ['+233201234561'], text: 0, key: 1 },
		{ to: ['+233201234561'], text: 1, key: 0 },
	],
	excluded: undefined,
	keyed: true,
	priced: true,
	maxRecipients: undefined,
	maxSpend: undefined,
	checkBalance: 'stop',
	poor: true,
	recipientsPerRequest: 1,
	skipRejectedNumbers: false,
	outside: undefined,
	over: 'none',
	onError: 'stopWorkflow',
};

const usual: Campaign = {
	...keyOfInvalidNumber,
	operation: 'send',
	items: [
		{ to: ['+233201234561'], text: 0, key: 0 },
		{ to: ['+233201234562'], text: 2, key: 1 },
	],
	keyed: false,
	checkBalance: undefined,
	poor: false,
};
const closed: Campaign = { ...usual, over: 'all' };

/** Campaigns with each important case, on any day and at any time. */
const examples: Array<[campaign: Campaign]> = [
	[keyOfInvalidNumber],
	[usual],
	[{ ...usual, operation: 'sendBulk', excluded: ['+233201234561'] }],
	[{ ...usual, items: [...usual.items, { to: ['12'], text: 0, key: 2 }], onError: 'continueRegularOutput' }],
	[{ ...usual, maxSpend: 0.1, onError: 'continueRegularOutput' }],
	[{ ...closed, outside: 'schedule' }],
	[{ ...closed, outside: 'skip' }],
	[{ ...closed, outside: 'stop' }],
];

it(`a dry run predicts the rows, reasons and cost of the real run, in ${RUNS} generated campaigns`, async () => {
	await fc.assert(
		fc.asyncProperty(campaigns, async (campaign) => {
			count++;
			await control.reset();
			deduplicationStore.clear();
			// Without the check, only the service knows that the wallet is too low.
			if (campaign.poor && campaign.checkBalance === 'stop') await control.adjustWallet(-39.88);
			const settings = { onError: campaign.onError } as const;
			const run = async (dryRun: boolean) =>
				await engine.run({ parameters: parametersOf(campaign, dryRun), items: itemsOf(campaign), settings });
			// The second pair of runs meets the keys of the first.
			for (let round = 1; round <= (campaign.keyed ? 2 : 1); round++) {
				const { balance: before } = await control.wallet();
				const [messages, claims] = [await control.messages(), deduplicationStore.claims];
				const dry = await run(true);
				expect(await control.messages()).toEqual(messages);
				expect((await control.wallet()).balance).toBe(before);
				expect(deduplicationStore.claims).toBe(claims);
				const real = await run(false);
				const { balance: after } = await control.wallet();
				compare(campaign, dry, real, before, after);
			}
		}),
		{ numRuns: RUNS, examples },
	);
	// All important cases must be among the examples.
	for (const [name, times] of Object.entries(seen)) expect([name, times > 0]).toEqual([name, true]);
}, 3_600_000);
