import type { z } from 'zod/v4';
import { contract, endpoints, events } from '../../shared';

describe('the contract', () => {
	it('names each endpoint by its place in the table, once', () => {
		const places = Object.entries(contract).flatMap(([resource, operations]) =>
			Object.keys(operations).map((operation) => `${resource}.${operation}`),
		);
		expect(endpoints.map(({ id }) => id)).toEqual(places);
		expect(new Set(places).size).toBe(places.length);
	});

	it('has each method and path once', () => {
		const calls = endpoints.map(({ method, path }) => `${method} ${path}`);
		expect(new Set(calls).size).toBe(calls.length);
	});

	it.each(endpoints.map((endpoint) => [endpoint.id, endpoint] as const))('%s: its example is valid', (_, endpoint) => {
		expect(endpoint.input.safeParse(endpoint.example.input)).toMatchObject({ success: true });
		expect(endpoint.output.safeParse(endpoint.example.output)).toMatchObject({ success: true });
	});

	it.each(endpoints.map((endpoint) => [endpoint.id, endpoint] as const))(
		'%s: its path uses only required keys',
		(_, endpoint) => {
			const shape: Record<string, z.ZodType> = endpoint.input.shape;
			for (const [, key] of endpoint.path.matchAll(/\{(\w+)\}/g)) {
				expect(shape[key ?? '']?.safeParse(undefined).success).toBe(false);
			}
		},
	);

	it('marks each POST and each call that costs money as repeat: once', () => {
		expect(endpoints.filter(({ charges, repeat }) => charges && repeat !== 'once')).toEqual([]);
		expect(endpoints.filter(({ method, repeat }) => method === 'POST' && repeat !== 'once')).toEqual([]);
	});

	it('expects channel_not_set_up of each endpoint that needs set-up, and of no other', () => {
		const idsOf = (found: typeof endpoints) => found.map(({ id }) => id);
		const expecting = endpoints.filter(({ errors }) => errors.includes('channel_not_set_up'));
		expect(idsOf(endpoints.filter(({ setUp }) => setUp))).toEqual(idsOf(expecting));
	});

	it('has an example of each event', () => {
		for (const event of Object.values(events)) {
			expect(event.payload.safeParse(event.example)).toMatchObject({ success: true });
		}
	});
});
