import { once } from 'node:events';
import { createServer } from 'node:http';
import { z } from 'zod/v4';
import { startWalletEngine } from '../support/n8n/walletEngine';
import { fc, runCount } from '../support/random';
import { driveApp, methods } from '../support/zapier/zapierTestApp';

/** Types of transactions, their effects on the balance, and whether they are completed top-ups. */
const KINDS = [
	{ type: 'debit', moves: -1, topUp: false },
	{ type: 'debit', moves: -1, topUp: false },
	{ type: 'topup', moves: 1, topUp: true },
	{ type: 'recharge', moves: 1, topUp: true },
	{ type: 'credit_purchase', moves: 1, topUp: true },
	{ type: 'topup_fee', moves: -1, topUp: false },
	{ type: 'topup_reversal', moves: -1, topUp: false },
	{ type: 'failed_topup', moves: 0, topUp: false },
	{ type: 'refund', moves: 1, topUp: false },
	{ type: 'sms', moves: -1, topUp: false },
] as const;

interface Entry {
	readonly serial: number;
	readonly kind: (typeof KINDS)[number];
	readonly row: Record<string, unknown>;
	/** The balance before and after the transaction. */
	readonly before: number;
	readonly after: number;
}

/** The forms in which services list transactions. */
const shapes = fc.record({
	ids: fc.constantFrom('numbers', 'letters', 'none'),
	dates: fc.boolean(),
	balances: fc.boolean(),
	signs: fc.boolean(),
	oldestFirst: fc.boolean(),
	cap: fc.constantFrom(100, 100, 30),
	/** Whether each row has a serial number. Without one, and without an ID, rows may be equal. */
	serials: fc.constant(true),
});
const equalRows = shapes.map((shape) => ({ ...shape, ids: 'none', serials: false }));
type Shape = typeof equalRows extends fc.Arbitrary<infer S> ? S : never;

const transactions = fc.array(fc.record({ kind: fc.nat(KINDS.length - 1), amount: fc.integer({ min: 1, max: 60 }) }), {
	maxLength: 12,
});

/** The events between two polls, and the response to the next poll. */
const steps = fc.array(
	fc.record({
		arrive: transactions,
		/** The number of sends of a campaign. */
		sends: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.integer({ min: 50, max: 260 })),
		answer: fc.constantFrom('list', 'list', 'list', 'empty', 'moved', 'rejection', 'without newest'),
		restart: fc.boolean(),
	}),
	{ minLength: 2, maxLength: 6 },
);

/** A wallet and a service that lists its transactions. */
async function startWorld(shape: Shape) {
	const entries: Entry[] = [];
	// A list that is empty at first must not show much older rows.
	const began = Date.now() - 3_600_000;
	let balance = 1000;
	let answer = 'list';
	const add = (kind: Entry['kind'], size: number) => {
		const serial = entries.length + 1;
		const before = balance;
		balance += kind.moves * size;
		const amount = shape.signs && kind.moves < 0 ? -size : size;
		entries.push({
			serial,
			kind,
			before,
			after: balance,
			row: {
				...(shape.ids === 'numbers' && { id: 1000 + serial }),
				...(shape.ids === 'letters' && { id: `x${(serial * 7_919 + 13).toString(36)}q` }),
				type: kind.type,
				amount,
				...(shape.balances && { balance }),
				...(shape.dates && { created_at: new Date(began + serial * 1000).toISOString() }),
				...(shape.serials && { serial }),
			},
		});
	};
	const server = createServer((request, response) => {
		const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
		const reply = (body: unknown, status = 200) =>
			response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
		if (pathname.endsWith('/balance')) return reply({ balance, currency: 'GHS' });
		if (answer === 'empty') return reply({ data: [] });
		if (answer === 'moved') return reply({ error: 'moved', data: [] });
		if (answer === 'rejection') return reply({ code: 'closed', message: 'The books are closed.' }, 403);
		const listed = entries.map(({ row }) => row).slice(0, answer === 'without newest' ? -40 : undefined);
		if (!shape.oldestFirst) listed.reverse();
		const offset = Number(searchParams.get('offset'));
		return reply({ data: listed.slice(offset, offset + Math.min(shape.cap, Number(searchParams.get('limit')))) });
	});
	await once(server.listen(0, '127.0.0.1'), 'listening');
	const address = server.address();
	if (address === null || typeof address === 'string') throw new Error('no TCP port');
	return {
		baseUrl: `http://127.0.0.1:${address.port}/api/v1/`,
		entries,
		add: (kind: number, size: number) => add(KINDS[kind] ?? KINDS[0], size),
		answerWith: (how: string) => {
			answer = how;
		},
		[Symbol.asyncDispose]: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}

/** Whether the list has a visible order. Otherwise, new rows behind many old ones are not found (docs/assumptions.md). */
const isOrdered = (shape: Shape) => !shape.oldestFirst || shape.dates || shape.ids === 'numbers';

const serialsOf = (items: ReadonlyArray<Record<string, unknown>>) =>
	items.map(({ serial }) => z.number().parse(serial));

const histories = fc.tuple(shapes, fc.nat(350), transactions, steps);
type History = typeof histories extends fc.Arbitrary<infer Value> ? Value : never;

/** If more rows than this appear in a list that was empty, the trigger of n8n takes them for a history. */
const MOST_FIRST_ROWS = 100;

/** The number of rows that a list shows. */
function listedCount(entries: number, answer: string): number {
	if (answer === 'without newest') return Math.max(0, entries - 40);
	return answer === 'list' ? entries : 0;
}

/** A new account whose first rows arrive all at once. */
const manyFirstRows: History = [
	{ ids: 'numbers', dates: false, balances: false, signs: false, oldestFirst: false, cap: 100, serials: true },
	0,
	[],
	[
		{ arrive: [], sends: 101, answer: 'list', restart: false },
		{ arrive: [], sends: 50, answer: 'list', restart: false },
	],
];

describe('the wallet trigger of n8n', () => {
	it('gives each new transaction once, no old one, and reports only completed top-ups as such', async () => {
		await fc.assert(
			fc.asyncProperty(histories, async ([shape, before, first, happenings]) => {
				await using harness = await startWorld(shape);
				for (let old = 0; old < before; old++) harness.add(0, 1);
				for (const { kind, amount } of first) harness.add(kind, amount);
				const old = harness.entries.length;
				const trigger = await startWalletEngine(
					{ messagingServiceApi: { baseUrl: harness.baseUrl, apiKey: 'sk_live_1', authHeader: 'X-API-Key' } },
					{ triggerOn: ['newTransaction', 'topUpCompleted'] },
				);
				const given: Array<Record<string, unknown>> = [];
				const poll = async () => given.push(...((await trigger.poll().catch(() => null)) ?? []));
				await poll();
				let wasEmpty = old === 0;
				let history = 0;
				for (const { arrive, sends, answer, restart } of happenings) {
					for (const { kind, amount } of arrive) harness.add(kind, amount);
					for (let send = 0; send < sends; send++) harness.add(0, 1);
					if (restart) trigger.restart();
					harness.answerWith(answer);
					await poll();
					const listed = listedCount(harness.entries.length, answer);
					// So many rows in a list that was empty may be old (docs/assumptions.md). These dates are too early to tell.
					if (wasEmpty && listed > MOST_FIRST_ROWS) history = listed;
					wasEmpty &&= listed === 0;
				}
				harness.answerWith('list');
				await poll();
				await poll();
				if (wasEmpty && harness.entries.length > MOST_FIRST_ROWS) history = harness.entries.length;
				const serials = serialsOf(given);
				expect(serials.filter((serial) => serial <= old)).toEqual([]);
				expect(new Set(serials).size).toBe(serials.length);
				if (isOrdered(shape)) expect(serials.length).toBe(harness.entries.length - old - history);
				for (const item of given) {
					const entry = harness.entries[Number(item.serial) - 1];
					expect([entry?.kind.type, item.event]).toEqual([
						item.type,
						entry?.kind.topUp ? 'wallet.topup_completed' : 'wallet.transaction',
					]);
				}
			}),
			{ numRuns: runCount(60), examples: [[manyFirstRows]] },
		);
	}, 300_000);
});

describe('equal rows without an ID', () => {
	const histories = fc.tuple(equalRows, fc.nat(350), transactions, steps);
	type History = typeof histories extends fc.Arbitrary<infer Value> ? Value : never;
	/** The number of rows of each kind that a list shows. No kind may have more rows than arrived. */
	const countsOf = (items: ReadonlyArray<Record<string, unknown>>) => {
		const counts = new Map<string, number>();
		for (const { type, amount } of items) {
			const kind = `${String(type)} ${String(amount)}`;
			counts.set(kind, (counts.get(kind) ?? 0) + 1);
		}
		return counts;
	};

	/** A poll does not read the whole list. A known row without an equal one was returned again. */
	const beyondOneReading: History = [
		{ ids: 'none', dates: false, balances: false, signs: false, oldestFirst: false, cap: 30, serials: false },
		66,
		[],
		[
			{ arrive: [{ kind: 0, amount: 2 }], sends: 194, answer: 'list', restart: false },
			{ arrive: [], sends: 246, answer: 'list', restart: false },
		],
	];

	it('n8n never gives equal rows more often than they arrived, and exactly as often if they have dates', async () => {
		await fc.assert(
			fc.asyncProperty(histories, async ([shape, before, first, happenings]) => {
				await using harness = await startWorld(shape);
				for (let old = 0; old < before; old++) harness.add(0, 1);
				for (const { kind, amount } of first) harness.add(kind, amount);
				const old = harness.entries.length;
				const isDistinct = shape.dates || shape.balances;
				const trigger = await startWalletEngine(
					{ messagingServiceApi: { baseUrl: harness.baseUrl, apiKey: 'sk_live_1', authHeader: 'X-API-Key' } },
					{ triggerOn: ['newTransaction'] },
				);
				const given: Array<Record<string, unknown>> = [];
				await trigger.poll();
				for (const { arrive, sends, answer, restart } of [
					...happenings,
					{ arrive: [], sends: 0, answer: 'list', restart: false },
				]) {
					for (const { kind, amount } of arrive) harness.add(kind, amount);
					for (let send = 0; send < sends; send++) harness.add(0, 1);
					if (restart) trigger.restart();
					// Equal rows cannot be recognized in a list that lost some (docs/assumptions.md).
					harness.answerWith(isDistinct || answer !== 'without newest' ? answer : 'list');
					given.push(...((await trigger.poll().catch(() => null)) ?? []));
				}
				const arrived = countsOf(harness.entries.slice(old).map(({ row }) => row));
				for (const [kind, count] of countsOf(given)) {
					expect([kind, count <= (arrived.get(kind) ?? 0)]).toEqual([kind, true]);
				}
				// More than 100 rows in a list that was empty are new only if their dates are later. These dates are earlier.
				const mayBeHistory = old === 0 && harness.entries.length > 100;
				if (shape.dates && !mayBeHistory) expect(given.length).toBe(harness.entries.length - old);
			}),
			{ numRuns: runCount(60), examples: [[beyondOneReading]] },
		);
	}, 300_000);
});

describe('the wallet triggers of Zapier', () => {
	/** A new account whose first row is a reversal of an amount without a sign. No row before it shows its direction. */
	const reversalFirst: History = [
		{ ids: 'numbers', dates: false, balances: true, signs: false, oldestFirst: false, cap: 100, serials: true },
		0,
		[],
		[
			{ arrive: [{ kind: 6, amount: 51 }], sends: 0, answer: 'list', restart: false },
			{ arrive: [{ kind: 2, amount: 1 }], sends: 2, answer: 'list', restart: false },
		],
	];
	const rows = z.array(z.looseObject({ id: z.string() }));

	/** Turns on a Zap: the first poll starts no run, and later each new ID starts one. */
	async function turnOn(baseUrl: string, method: string, inputs: Record<string, unknown>) {
		const account = { base_url: baseUrl, api_key: 'sk_live_1' };
		const primed = await driveApp(account, { meta: { isPopulatingDedupe: true } }).run(method, inputs);
		const seen = new Set(rows.parse(primed).map(({ id }) => id));
		return async () => {
			const { results } = await driveApp(account).attempt(method, inputs);
			const fresh = rows.parse(results ?? []).filter(({ id }) => !seen.has(id));
			for (const { id } of fresh) seen.add(id);
			return fresh;
		};
	}

	it('starts one run for each new transaction of the chosen type, and none for an old one', async () => {
		await fc.assert(
			fc.asyncProperty(histories, fc.boolean(), async ([shape, before, first, happenings], onTopUps) => {
				await using harness = await startWorld(shape);
				for (let old = 0; old < before; old++) harness.add(0, 1);
				for (const { kind, amount } of first) harness.add(kind, amount);
				const old = harness.entries.length;
				const types = onTopUps ? ['topup'] : [];
				const poll = await turnOn(harness.baseUrl, methods.newWalletTransaction, { types });
				const started: Array<Record<string, unknown>> = [];
				for (const { arrive, sends, answer } of [...happenings, { arrive: [], sends: 0, answer: 'list' }]) {
					for (const { kind, amount } of arrive) harness.add(kind, amount);
					for (let send = 0; send < sends; send++) harness.add(0, 1);
					harness.answerWith(answer);
					started.push(...(await poll()));
				}
				const wanted = harness.entries.slice(old).filter(({ kind }) => !onTopUps || kind.topUp);
				const serials = serialsOf(started).sort((a, b) => a - b);
				expect(serials).toEqual(wanted.map(({ serial }) => serial));
			}),
			{ numRuns: runCount(60) },
		);
	}, 300_000);

	it('starts one run for each crossing of the threshold, and none without a crossing', async () => {
		const THRESHOLD = 950;
		await fc.assert(
			fc.asyncProperty(histories, async ([shape, before, first, happenings]) => {
				await using harness = await startWorld(shape);
				for (let old = 0; old < before; old++) harness.add(0, 1);
				for (const { kind, amount } of first) harness.add(kind, amount);
				const old = harness.entries.length;
				const poll = await turnOn(harness.baseUrl, methods.lowWalletBalance, { threshold: THRESHOLD });
				const isDoubtful = ({ serial, kind }: Entry) => serial === 1 && kind.type === 'topup_reversal' && !shape.signs;
				const fell = (entry: Entry) => entry.before >= THRESHOLD && entry.after < THRESHOLD && !isDoubtful(entry);
				let missed = 0;
				let pending = 0;
				const started: Array<Record<string, unknown>> = [];
				for (const { arrive, sends, answer } of [...happenings, { arrive: [], sends: 0, answer: 'list' }]) {
					const known = harness.entries.length;
					for (const { kind, amount } of arrive) harness.add(kind, amount);
					for (let send = 0; send < sends; send++) harness.add(0, 1);
					pending += harness.entries.slice(known).filter(fell).length;
					harness.answerWith(answer === 'without newest' ? 'rejection' : answer);
					started.push(...(await poll()));
					if (answer !== 'list') continue;
					// A poll gives at most three crossings, also of those that earlier polls could not read.
					missed += Math.max(0, pending - 3);
					pending = 0;
				}
				const falls = harness.entries.filter(fell);
				const bySerial = started.map(({ balance_after }) => balance_after);
				const isCertain = shape.balances && isOrdered(shape) && missed === 0;
				if (isCertain) {
					const expected = falls.filter(({ serial }) => serial > old).map(({ after }) => after);
					expect([...bySerial].sort()).toEqual(expected.sort());
				} else if (isOrdered(shape)) {
					expect(started.length).toBeLessThanOrEqual(falls.filter(({ serial }) => serial > old).length);
				}
			}),
			{ numRuns: runCount(60), examples: [[reversalFirst]] },
		);
	}, 300_000);
});
