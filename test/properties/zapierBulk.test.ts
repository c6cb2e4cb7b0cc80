import { z } from 'zod/v4';
import { startSandbox, type Sandbox } from '../../sandbox/server';
import { fc, runCount } from '../support/random';
import { sandboxControl } from '../support/sandboxControl';
import { bulkOutput, message, sender_id } from '../support/zapier/bulkStep';
import { cacheServer } from '../support/zapier/cacheServer';
import { driveApp, methods } from '../support/zapier/zapierTestApp';

/** Kinds of entries in a list: accepted, opted out, unreachable, or not a number. */
type Kind = 'good' | 'out' | 'unreachable' | 'unreadable';

interface Case {
	readonly entries: ReadonlyArray<{ readonly kind: Kind; readonly index: number; readonly text: number }>;
	readonly ofLines: boolean;
	readonly numbers_per_request: number | undefined;
	readonly skip_rejected_numbers: boolean;
	/** The faults of the requests, in order; undefined for none. */
	readonly faults: ReadonlyArray<Readonly<Record<string, unknown>> | undefined>;
	/** The number of messages that the wallet can pay for. */
	readonly affordable: number;
	readonly keyed: boolean;
	readonly replays: number;
}

const endpoint = 'sms.sendBulk';
const response = (status: number, more: object = {}) => ({
	endpoint,
	kind: 'answer',
	status,
	body: { message: 'Not now' },
	...more,
});
const fault = fc.constantFrom(
	response(401),
	response(403),
	response(413),
	response(422),
	response(429, { headers: { 'Retry-After': '60' } }),
	response(500),
	response(200, { body: { success: false, message: 'Some failed' } }),
	...['drop_before', 'drop_after', 'half_json', 'html'].map((kind) => ({ endpoint, kind })),
);
const TEXTS = ['Hi Ama', 'Hi Kofi', ' \n'];
const aCase: fc.Arbitrary<Case> = fc.record({
	entries: fc.array(
		fc.record({
			kind: fc.constantFrom<Kind>('good', 'good', 'good', 'good', 'out', 'unreachable', 'unreadable'),
			index: fc.nat(12),
			text: fc.nat(TEXTS.length - 1),
		}),
		{ minLength: 1, maxLength: 16 },
	),
	ofLines: fc.boolean(),
	numbers_per_request: fc.constantFrom(undefined, 1, 2, 3, 5),
	skip_rejected_numbers: fc.boolean(),
	faults: fc.array(fc.option(fault, { nil: undefined }), { maxLength: 5 }),
	affordable: fc.constantFrom(0, 1, 3, 1000, 1000),
	keyed: fc.boolean(),
	replays: fc.nat(2),
});

const usual: Case = {
	entries: [
		{ kind: 'good', index: 1, text: 0 },
		{ kind: 'good', index: 2, text: 1 },
	],
	ofLines: false,
	numbers_per_request: 1,
	skip_rejected_numbers: false,
	faults: [],
	affordable: 1000,
	keyed: true,
	replays: 1,
};

/** Steps with each important case. */
const examples: Array<[Case]> = [
	[usual],
	[{ ...usual, numbers_per_request: undefined, faults: [response(401)] }],
	[{ ...usual, affordable: 1 }],
	[{ ...usual, faults: [{ endpoint, kind: 'drop_after' }] }],
];

const numberOf = ({ kind, index }: Case['entries'][number]) =>
	({
		good: `+2332012345${String(index).padStart(2, '0')}`,
		out: `+2332412345${String(index).padStart(2, '0')}`,
		unreachable: '+233990000001',
		unreadable: '12',
	})[kind];
const intentOf = (to: string, text: string) => JSON.stringify([to, text]);

let sandbox: Sandbox;
let control: ReturnType<typeof sandboxControl>;

beforeAll(async () => {
	sandbox = await startSandbox({ clock: 'stopped' });
	control = sandboxControl(sandbox);
});
afterAll(() => sandbox.stop());

/** The number of times that each message reached each number, by the sandbox. */
async function reached() {
	const counts = new Map<string, number>();
	for (const sent of await control.messages()) {
		const intent = intentOf(sent.to, sent.message);
		counts.set(intent, (counts.get(intent) ?? 0) + 1);
	}
	return counts;
}

async function spoil({ entries, faults, affordable }: Case) {
	await control.reset();
	for (const number of new Set(entries.filter(({ kind }) => kind === 'out').map(numberOf))) {
		await control.ask('POST', 'opt-outs', { number });
	}
	const { balance } = await control.wallet();
	if (affordable < 1000) await control.adjustWallet(affordable * 0.05 - balance);
	for (const one of faults) await control.fault(one ?? { endpoint, kind: 'delay', milliseconds: 0 });
}

async function repair() {
	await control.ask('DELETE', 'faults');
	await control.adjustWallet(100);
}

function inputsOf({ entries, ofLines, numbers_per_request, skip_rejected_numbers, keyed }: Case) {
	const common = {
		sender_id,
		numbers_per_request: numbers_per_request ?? '',
		skip_rejected_numbers: String(skip_rejected_numbers),
		send_once_key: keyed ? 'order 7' : '',
	};
	if (!ofLines) return { ...common, recipients_from: 'list', message, to: entries.map(numberOf) };
	const lines = entries.map((entry) => ({ line_to: numberOf(entry), line_message: TEXTS[entry.text] }));
	return { ...common, recipients_from: 'line_items', lines };
}

/** The second step of zapier/README.md, with the same mapping for every result of the first step. */
function againOf({ ofLines }: Case, first: z.output<typeof bulkOutput>) {
	const common = { sender_id, message: ofLines ? '' : message, recipients_from: ofLines ? 'line_items' : 'list' };
	const lines = first.lines_to_send_again.map((line) => ({ line_to: line.to, line_message: line.message }));
	return ofLines
		? {
				inputs: { ...common, lines },
				raw: { ...common, lines: [{ line_to: '{{1__to}}', line_message: '{{1__text}}' }] },
			}
		: {
				inputs: { ...common, to: first.numbers_to_send_again },
				raw: { ...common, to: ['{{1__numbers_to_send_again}}'] },
			};
}

describe('Send Bulk SMS', () => {
	it('succeeds only if a message is accepted or unknown, and a second step reaches the other recipients once', async () => {
		const seen = { green: 0, failed: 0, again: 0, unknown: 0 };
		await fc.assert(
			fc.asyncProperty(aCase, async (drawn) => {
				await using cache = await cacheServer();
				const account = (raw?: Readonly<Record<string, unknown>>) =>
					driveApp({ base_url: sandbox.baseUrl, api_key: sandbox.apiKey }, { rpc_base: cache.rpcBase, raw });
				const textOf = ({ text }: Case['entries'][number]) => (drawn.ofLines ? (TEXTS[text] ?? '') : message);
				const wanted = new Set(
					drawn.entries
						.filter((entry) => entry.kind === 'good' && textOf(entry).trim() !== '')
						.map((entry) => intentOf(numberOf(entry), textOf(entry))),
				);
				await spoil(drawn);
				const inputs = inputsOf(drawn);
				let ending = await account().attempt(methods.sendBulkSms, inputs);

				if (ending.failure) {
					seen.failed++;
					// Whatever Zapier or the user does next, no message was sent and the key is free.
					expect(await reached()).toEqual(new Map());
					expect(cache.entries.size).toBe(0);
					await repair();
					ending = await account().attempt(methods.sendBulkSms, inputs);
					if (ending.failure) {
						expect(await reached()).toEqual(new Map());
						if (drawn.skip_rejected_numbers) expect(wanted.size).toBe(0);
						return;
					}
				}
				seen.green++;
				const first = bulkOutput.parse(ending.results);
				const { total, accepted, rejected, unknown, not_attempted, skipped } = first;
				expect(accepted + rejected + unknown + not_attempted + skipped).toBe(total);
				expect(total).toBe(drawn.entries.length);
				expect(first.results).toHaveLength(total);
				expect(accepted + unknown).toBeGreaterThan(0);
				expect(['accepted', 'partly_accepted', 'unknown']).toContain(first.outcome);

				// The rows match the messages in the sandbox.
				const afterFirst = await reached();
				const intents = (...outcomes: string[]) =>
					first.results.flatMap((row, index) => {
						const entry = drawn.entries[index];
						return entry && outcomes.includes(row.outcome) ? [intentOf(row.to, textOf(entry))] : [];
					});
				for (const intent of intents('accepted')) expect([intent, afterFirst.get(intent)]).toEqual([intent, 1]);
				for (const intent of intents('rejected', 'not_attempted')) expect(afterFirst.get(intent)).toBeUndefined();

				// The list to send again has all recipients without a message, except those rejected for a reason of their own.
				const again = drawn.ofLines
					? first.lines_to_send_again.map((line) => intentOf(line.to, line.message))
					: first.numbers_to_send_again.map((to) => intentOf(to, message));
				expect(first.numbers_to_send_again).toHaveLength(again.length);
				expect(new Set(again).size).toBe(again.length);
				const left = intents('rejected', 'not_attempted').filter((intent) => wanted.has(intent));
				expect(again.filter((intent) => wanted.has(intent)).sort()).toEqual(left.sort());
				const others = new Set(intents('rejected', 'not_attempted'));
				for (const intent of again) expect(others.has(intent)).toBe(true);

				for (let replay = 0; drawn.keyed && replay < drawn.replays; replay++) {
					expect(await account().run(methods.sendBulkSms, inputs)).toEqual({ ...first, already_sent: true });
					expect(await reached()).toEqual(afterFirst);
				}

				await repair();
				const { inputs: secondInputs, raw } = againOf(drawn, first);
				const second = await account(raw).attempt(methods.sendBulkSms, secondInputs);
				if (again.length === 0) expect(second.results).toMatchObject({ outcome: 'nothing_to_send', total: 0 });
				else seen.again++;
				// It may fail only if all its recipients are rejected, which the first step could not find out.
				if (second.failure) expect(left).toEqual([]);
				const unknowns = new Set(intents('unknown'));
				if (unknowns.size > 0) seen.unknown++;
				const afterSecond = await reached();
				for (const intent of wanted) {
					const times = afterSecond.get(intent) ?? 0;
					if (unknowns.has(intent)) expect(times).toBeLessThanOrEqual(1);
					else expect([intent, times]).toEqual([intent, 1]);
				}
				expect([...afterSecond.keys()].filter((intent) => !wanted.has(intent))).toEqual([]);
			}),
			{ numRuns: runCount(60), examples },
		);
		// All important cases must be among the examples.
		for (const [name, times] of Object.entries(seen)) expect([name, times > 0]).toEqual([name, true]);
	}, 240_000);
});
