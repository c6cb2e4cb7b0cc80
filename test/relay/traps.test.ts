import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createChanges } from '../../relay/changes';
import { createCipher } from '../../relay/cipher';
import { createMetrics } from '../../relay/metrics';
import type { Database } from '../../relay/database/database';
import { createGate } from '../../relay/database/gate';
import { startSweeping } from '../../relay/database/sweep';
import { together } from '../../relay/database/together';
import { deliver, type DueRow } from '../../relay/delivery/deliver';
import type { DeliveryOutcome } from '../../relay/delivery/outcomes';
import { createPlaces } from '../../relay/delivery/places';
import { readSettings } from '../../relay/settings';
import { accept, subscribe } from '../support/relay/api';
import { useDatabase } from '../support/relay/databases';
import { startReceiver } from '../support/relay/receiver';
import { receipt } from '../support/relay/requests';

const unused = async () => await Promise.reject(new Error('not used'));

/** A database that only reads. */
function databaseOf(query: (text: string) => Promise<object[]>): Database {
	return {
		query: async <Row extends object>(text: string) => (await query(text)) as Row[],
		prepared: unused,
		executeSql: unused,
		transaction: unused,
		close: unused,
		connection: { url: '', statementMs: 0 },
		exclusive: true,
	};
}

describe('the embedded database', () => {
	const database = useDatabase('folder');

	it('syncs each commit to disk, and makes jobs in a queue that is new', async () => {
		const counter = join(database().folder, 'syncs');
		const relay = await database().startProcess({
			env: {
				SYNC_COUNTER: counter,
				NODE_OPTIONS: `--import ${join(__dirname, '..', 'support', 'relay', 'countSyncs.mjs')}`,
			},
		});
		const syncs = () => statSync(counter).size;
		const receiver = await startReceiver();
		// pg-boss looks up a new queue beside the transaction, which would wait for itself on a single connection.
		for (let count = 1; count <= 3; count += 1) {
			await subscribe(relay, { url: receiver.url, reference: `new-queue-${count}` });
			await accept(relay, receipt(`new-queue-${count}`, 'sent'));
		}
		await receiver.waitFor(6);
		const before = syncs();
		for (let count = 0; count < 30; count += 1) await accept(relay, receipt(`synced-${count}`, 'sent'));
		expect(syncs() - before).toBeGreaterThanOrEqual(30);
		await receiver.close();
	});
});

describe('the gate of a single connection', () => {
	it('gives sockets a turn between two pieces of work', async () => {
		const gate = createGate();
		const order: string[] = [];
		setImmediate(() => order.push('socket'));
		const work = Array.from({ length: 5 }, async (_, index) =>
			gate(() => Promise.resolve().then(() => void order.push(`work ${index}`))),
		);
		await Promise.all(work);
		expect(order.indexOf('socket')).toBeLessThan(order.indexOf('work 2'));
	});

	it('runs urgent work before other work, and one piece at a time', async () => {
		const gate = createGate();
		const order: string[] = [];
		let running = 0;
		const piece = (name: string) => async () => {
			running += 1;
			expect(running).toBe(1);
			await sleep(1);
			order.push(name);
			running -= 1;
		};
		await Promise.all([gate(piece('first')), gate(piece('second')), gate(piece('urgent'), 'urgent')]);
		expect(order).toEqual(['urgent', 'first', 'second']);
	});

	it('lets a request that arrives during normal work go before the next normal work', async () => {
		const gate = createGate();
		const order: string[] = [];
		const write = together(async (items: readonly string[]) => {
			await gate(() => Promise.resolve(void order.push(...items)), 'urgent');
			return items;
		});
		let request: Promise<string> | undefined;
		const normal = ['first', 'second', 'third'].map(async (name) => {
			await gate(() => {
				order.push(name);
				// As the socket of a request, which is read after this piece.
				if (name === 'first') {
					setImmediate(() => {
						request = write('request');
					});
				}
				return Promise.resolve();
			});
		});
		await Promise.all(normal);
		await request;
		expect(order).toEqual(['first', 'request', 'second', 'third']);
	});

	it('runs normal work while urgent work of two sources never ends', async () => {
		const gate = createGate();
		let pieces = 0;
		let isOver = false;
		const source = async () => {
			while (!isOver && pieces < 100) await gate(() => Promise.resolve(void (pieces += 1)), 'urgent');
		};
		const sources = Promise.all([source(), source(), source()]);
		await gate(() => Promise.resolve());
		expect(pieces).toBeLessThan(10);
		isOver = true;
		await sources;
	});

	it('runs normal work between the shared writes of a source that never rests', async () => {
		const gate = createGate();
		let writes = 0;
		const write = together(async (items: readonly string[]) => {
			await gate(() => Promise.resolve(void (writes += 1)), 'urgent');
			return items;
		});
		let isOver = false;
		const source = async () => {
			while (!isOver && writes < 100) await write('request');
		};
		const sources = Promise.all([source(), source()]);
		for (let count = 0; count < 3; count += 1) await gate(() => Promise.resolve());
		expect(writes).toBeLessThan(20);
		isOver = true;
		await sources;
	});

	it('continues after work that failed', async () => {
		const gate = createGate();
		await expect(gate(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
		expect(await gate(() => Promise.resolve('next'))).toBe('next');
	});
});

describe('shared writes', () => {
	it('writes members one by one if the database rejects a value, so that one bad item fails alone', async () => {
		const writes: string[][] = [];
		const write = together(async (items: readonly string[]) => {
			writes.push([...items]);
			if (items.includes('bad')) throw Object.assign(new Error('rejected'), { code: '22P05' });
			return await Promise.resolve(items.map((item) => item.toUpperCase()));
		});
		const results = await Promise.allSettled(['one', 'bad', 'two'].map(write));
		expect(results.map((result) => (result.status === 'fulfilled' ? result.value : 'failed'))).toEqual([
			'ONE',
			'failed',
			'TWO',
		]);
		expect(writes).toEqual([['one', 'bad', 'two'], ['one'], ['bad'], ['two']]);
	});

	it('fails all members at once if the database is away, so that no sender waits for the others', async () => {
		let writes = 0;
		const write = together(async () => {
			writes += 1;
			return await Promise.reject(Object.assign(new Error('away'), { code: 'ECONNREFUSED' }));
		});
		const results = await Promise.allSettled(['one', 'two', 'three'].map(write));
		expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
		expect(writes).toBe(1);
	});
});

describe('the sweep of the embedded database', () => {
	beforeEach(() => jest.useFakeTimers());
	afterEach(() => jest.useRealTimers());

	const setUp = (query: (text: string) => Promise<object[]>) => {
		const state = { writes: 0, problems: 0 };
		const stop = startSweeping(
			databaseOf(query),
			() => state.writes,
			() => (state.problems += 1),
		);
		return { state, stop };
	};

	it('removes dead rows every 15 seconds while there are writes, and rests otherwise', async () => {
		const statements: string[] = [];
		const { state, stop } = setUp(async (text) => {
			statements.push(text);
			return await Promise.resolve([]);
		});
		await jest.advanceTimersByTimeAsync(60_000);
		expect(statements).toEqual([]);
		state.writes = 1;
		await jest.advanceTimersByTimeAsync(15_000);
		for (const table of ['relay.delivery', 'pgboss.job_common']) {
			expect(statements).toEqual(expect.arrayContaining([`vacuum ${table}`, `analyze ${table}`]));
		}
		const count = statements.length;
		expect(new Set(statements).size).toBe(count);
		await jest.advanceTimersByTimeAsync(60_000);
		expect(statements).toHaveLength(count);
		state.writes = 2;
		await jest.advanceTimersByTimeAsync(15_000);
		expect(statements).toHaveLength(2 * count);
		stop();
	});

	it('runs one statement a second at most, so that requests go in between', async () => {
		const statements: string[] = [];
		let end: (rows: object[]) => void = () => undefined;
		const { state, stop } = setUp(async (text) => {
			statements.push(text);
			return await new Promise((resolve) => (end = resolve));
		});
		state.writes = 1;
		await jest.advanceTimersByTimeAsync(2_000);
		expect(statements).toHaveLength(1);
		await jest.advanceTimersByTimeAsync(15_000);
		expect(statements).toHaveLength(1);
		end([]);
		await jest.advanceTimersByTimeAsync(2_400);
		expect(statements).toHaveLength(2);
		stop();
	});

	it('continues with the next statement after one that failed', async () => {
		const statements: string[] = [];
		const { state, stop } = setUp(async (text) => {
			statements.push(text);
			return await Promise.reject(new Error('broken'));
		});
		state.writes = 1;
		await jest.advanceTimersByTimeAsync(15_000);
		expect(statements.length).toBeGreaterThan(1);
		expect(state.problems).toBe(statements.length);
		stop();
	});
});

describe('the order within a message', () => {
	/** Delivers rows that are read together, and returns the posted events and the outcomes. */
	async function run(rows: readonly DueRow[], versions = rows.map(({ version }) => version), mostPosts = Infinity) {
		const posted: string[] = [];
		const givenBack: string[] = [];
		const outcomes: DeliveryOutcome[] = [];
		const jobs = rows.map(({ id }, index) => ({
			id: `job-${id}`,
			data: { events: [id], version: versions[index] ?? 0 },
		}));
		const receiver = {
			id: 'sub_1',
			kind: 'script',
			url: 'http://127.0.0.1/',
			secret: '',
			batch: null,
			onlyZapier: false,
			nextProbeAt: null,
		};
		await deliver(
			{
				services: {
					database: databaseOf(async () => await Promise.resolve([...rows])),
					engine: {
						createQueue: unused,
						deleteQueue: unused,
						insert: unused,
						work: unused,
						complete: unused,
						giveBack: async (_queue, ids) => {
							givenBack.push(...ids);
							await Promise.resolve();
						},
						stop: unused,
					},
					cipher: createCipher('key'),
					changes: createChanges(),
					metrics: createMetrics(),
					settings: readSettings([], {}),
				},
				send: async (_receiver, sent) => {
					posted.push(...sent.map(({ id }) => id));
					return await Promise.resolve({ ok: true, status: 200, error: null, ms: 1 });
				},
				record: async (outcome) => {
					outcomes.push(outcome);
					return await Promise.resolve(outcome);
				},
				judge: async () => await Promise.resolve(),
				leave: () => undefined,
				places: createPlaces(2),
				isOpen: () => posted.length < mostPosts,
			},
			receiver,
			jobs,
		);
		return { posted, outcomes, givenBack };
	}

	function row(id: string, sequence: number, more: Partial<DueRow> = {}): DueRow {
		return {
			id,
			sequence,
			type: 'message.status',
			received_at: new Date(),
			data: {},
			urgent: false,
			order_key: 'message:1',
			body: new Uint8Array(),
			content_type: null,
			state: 'pending',
			attempts: 0,
			replays: 0,
			version: 0,
			next_at: null,
			active: true,
			behind: null,
			...more,
		};
	}

	it('posts the events of one message in the order of their arrival', async () => {
		const { posted } = await run([row('c', 3), row('a', 1), row('b', 2)]);
		expect(posted).toEqual(['a', 'b', 'c']);
	});

	it('waits for an earlier event that is pending outside the batch', async () => {
		const { posted, outcomes } = await run([row('b', 2, { behind: new Date(Date.now() + 60_000) }), row('c', 3)]);
		expect(posted).toEqual([]);
		expect(outcomes.map(({ event, state, attempts }) => [event, state, attempts])).toEqual([
			['b', 'pending', 0],
			['c', 'pending', 0],
		]);
	});

	it('waits for an event whose old job a crash left behind', async () => {
		const tried = row('a', 1, { attempts: 1, version: 1, next_at: new Date(Date.now() + 60_000) });
		const { posted, outcomes } = await run([tried, row('b', 2)], [0, 0]);
		expect(posted).toEqual([]);
		expect(outcomes.map(({ event }) => event)).toEqual(['b']);
	});

	it('leaves an event that was postponed to its new job', async () => {
		const postponed = row('a', 1, { version: 1, next_at: new Date(Date.now() - 1_000) });
		const { posted, outcomes } = await run([postponed, row('b', 2)], [0, 0]);
		expect(posted).toEqual([]);
		expect(outcomes.map(({ event }) => event)).toEqual(['b']);
		expect((await run([postponed])).posted).toEqual(['a']);
		const both = await run([postponed, postponed, row('b', 2)], [0, 1, 0]);
		expect(both.posted).toEqual(['a', 'b']);
	});

	it('gives deliveries back that could not begin before the worker stopped', async () => {
		const other = { order_key: 'message:2' };
		const rows = [row('a', 1), row('b', 2), row('c', 3, other), row('d', 4, other), row('e', 5, { order_key: null })];
		const { posted, outcomes, givenBack } = await run(rows, undefined, 2);
		expect(posted).toEqual(['a', 'c']);
		expect(outcomes.map(({ event, state }) => [event, state])).toEqual([
			['a', 'delivered'],
			['c', 'delivered'],
		]);
		expect(givenBack.sort()).toEqual(['job-b', 'job-d', 'job-e']);
	});
});
