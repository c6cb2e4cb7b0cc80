import { DataDeduplicationService } from 'n8n-core';
import type { IDataDeduplicator } from 'n8n-workflow';
import { countingService } from '../support/countingService';
import { startEngine } from '../support/n8n/engine';

/** Time that n8n's store takes per key among 100,000 others, in milliseconds. It does not yield within a call. */
const MS_PER_KEY = 2;
/** A worker in queue mode must respond within seconds, or n8n counts its job as stalled. In milliseconds. */
const LONGEST_STANDSTILL_MS = 1000;
const KEYS = 5000;

/** A large store. Each call advances the clock by the time of n8n's loops (deduplication-helper.ts of n8n). */
class LargeStore implements IDataDeduplicator {
	readonly kept = new Set<string>();
	/** How long each call kept the process busy, in milliseconds. */
	readonly busyMs: number[] = [];

	constructor(private readonly pass: (milliseconds: number) => void) {}

	checkProcessedAndRecord: IDataDeduplicator['checkProcessedAndRecord'] = async (items) => {
		await this.#work(items);
		const fresh = items.filter((item) => !this.kept.has(String(item)));
		for (const item of fresh) this.kept.add(String(item));
		return { new: fresh, processed: items.filter((item) => !fresh.includes(item)) };
	};

	removeProcessed: IDataDeduplicator['removeProcessed'] = async (items) => {
		await this.#work(items);
		for (const item of items) this.kept.delete(String(item));
	};

	clearAllProcessedItems: IDataDeduplicator['clearAllProcessedItems'] = () => Promise.resolve();
	getProcessedDataCount: IDataDeduplicator['getProcessedDataCount'] = () => Promise.resolve(this.kept.size);

	async #work(items: readonly unknown[]): Promise<void> {
		await new Promise(setImmediate);
		this.busyMs.push(items.length * MS_PER_KEY);
		this.pass(items.length * MS_PER_KEY);
	}
}

it('claims and releases the Send Once Keys of a large campaign with an empty wallet in slices', async () => {
	let now = Date.now();
	const clock = jest.spyOn(Date, 'now').mockImplementation(() => now);
	const store = new LargeStore((milliseconds) => (now += milliseconds));
	await DataDeduplicationService.init(store);
	const body = { code: 'insufficient_balance', message: 'Top up first' };
	await using service = await countingService(() => ({ status: 422, body }));
	const engine = await startEngine({
		messagingServiceApi: { baseUrl: service.baseUrl, apiKey: 'sk_sandbox_demo', authHeader: 'X-API-Key' },
	});
	const { outputs } = await engine.run({
		parameters: {
			resource: 'sms',
			operation: 'sendBulk',
			senderId: { __rl: true, mode: 'name', value: 'KOFISHOP' },
			to: '={{ $json.to }}',
			message: 'Hello',
			options: { sendOnceKey: '={{ $json.to }}', parallelRequests: 1 },
		},
		items: Array.from({ length: KEYS }, (_, index) => ({ to: `+2332012${String(index).padStart(5, '0')}` })),
		settings: { onError: 'continueRegularOutput' },
	});
	clock.mockRestore();
	expect(outputs[0]).toHaveLength(KEYS);
	expect([...store.kept]).toEqual([]);
	expect(Math.max(...store.busyMs)).toBeLessThan(LONGEST_STANDSTILL_MS);
	// One claim and one release of the two entries of each key.
	expect(store.busyMs.reduce((sum, ms) => sum + ms, 0)).toBeLessThan(6.6 * KEYS * MS_PER_KEY);
}, 60_000);
