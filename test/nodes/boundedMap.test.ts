import { BoundedMap } from '../../nodes/MessagingService/memory/boundedMap';
import { fc } from '../support/random';

describe('BoundedMap', () => {
	it('stays within its capacity, and returns the entries that have not expired', () => {
		const step = fc.record({ key: fc.nat(20).map(String), value: fc.nat(), forMs: fc.nat(100), passes: fc.nat(20) });
		fc.assert(
			fc.property(fc.array(step), fc.integer({ min: 1, max: 10 }), (steps, capacity) => {
				let now = 1_000;
				const map = new BoundedMap<number>({ maxSize: capacity }, () => now);
				let model: Array<{ key: string; value: number; until: number }> = [];
				for (const { key, value, forMs, passes } of steps) {
					map.set(key, value, forMs);
					model = [...model.filter((entry) => entry.key !== key), { key, value, until: now + forMs }].slice(-capacity);
					now += passes;
					expect(map.size).toBeLessThanOrEqual(capacity);
				}
				for (const { key, value, until } of model) expect(map.get(key)).toBe(until > now ? value : undefined);
				for (const key of Array.from({ length: 21 }, (_, index) => String(index))) {
					if (!model.some((entry) => entry.key === key)) expect(map.get(key)).toBeUndefined();
				}
			}),
		);
	});

	it('removes entries that are no longer in use first, by their size, and keeps those in use above the maximum', () => {
		let now = 0;
		const map = new BoundedMap<string[]>(
			{ maxSize: 3, sizeOf: ({ length }) => length, inUseMs: 100, maxIdleMs: 1_000 },
			() => now,
		);
		map.use('large', () => ['a', 'b', 'c', 'd']);
		map.use('small', () => []).push('e');
		expect(map.size).toBe(5);
		now = 100;
		map.use('small', () => []);
		map.use('new', () => ['f']);
		expect([map.get('large'), map.get('small'), map.get('new')]).toEqual([undefined, ['e'], ['f']]);
		now = 1_101;
		map.use('next', () => []);
		expect([map.get('small'), map.get('new')]).toEqual([undefined, undefined]);
	});
});
