import { createClient, endpoints, TransportError, type HttpResponse } from '../../shared';
import { fc, runCount } from '../support/random';

type Happening = HttpResponse | TransportError;

const bodies = fc.oneof(
	fc.constantFrom(
		undefined,
		'',
		'<html>',
		'{"success": true',
		'{}',
		'[]',
		'null',
		'{"success": false, "message": "no"}',
	),
	fc.json(),
);
const happenings: fc.Arbitrary<Happening> = fc.oneof(
	fc.record({
		status: fc.oneof(
			fc.constantFrom(200, 202, 301, 401, 408, 422, 429, 500, 502, 503),
			fc.integer({ min: 100, max: 599 }),
		),
		headers: fc.record({
			'retry-after': fc.constantFrom(undefined, '0', '1', '90', 'soon', 'Fri, 20 Nov 2026 12:00:00 GMT'),
		}),
		body: bodies,
	}),
	fc
		.record({ left: fc.constantFrom('no' as const, 'maybe' as const), aborted: fc.boolean() })
		.map(({ left, aborted }) => new TransportError('lost', left, undefined, aborted)),
);

/** Whether the service may have accepted the call, according to docs/api.md#errors. */
const mayBeAccepted = (happened: Happening): boolean =>
	happened instanceof TransportError
		? happened.left === 'maybe'
		: happened.status < 300 || happened.status === 408 || happened.status >= 500;

describe.each(endpoints.filter(({ repeat }) => repeat === 'once').map((endpoint) => [endpoint.id, endpoint] as const))(
	'%s',
	(_, endpoint) => {
		it('sends at most one request that may be accepted, and then reports rejected only if the response says so', async () => {
			await fc.assert(
				fc.asyncProperty(fc.array(happenings, { minLength: 1, maxLength: 8 }), async (script) => {
					const happened: Happening[] = [];
					const client = createClient({
						baseUrl: 'https://service.example',
						apiKey: 'sk_test_1',
						transport: {
							send: () => {
								const next = script[Math.min(happened.length, script.length - 1)];
								if (!next) throw new Error('no script');
								happened.push(next);
								return next instanceof TransportError ? Promise.reject(next) : Promise.resolve(next);
							},
							sleep: () => Promise.resolve(),
						},
						retry: { attempts: 6 },
					});
					const outcome = await client.call(endpoint, endpoint.example.input);
					const maybe = happened.filter(mayBeAccepted);
					expect(maybe.length).toBeLessThanOrEqual(1);
					if (maybe.length === 0) expect(outcome.outcome).toBe('rejected');
					const [only] = maybe;
					if (only instanceof TransportError) expect(outcome.outcome).toBe('unknown');
					else if (only && only.status >= 200 && only.status < 300) {
						const saysNo = only.body?.includes('"success": false') ?? false;
						// For a failed check of a code, the result is valid: false. No other call is accepted.
						const checked = { outcome: 'accepted', output: { valid: false } };
						if (!saysNo) expect(['accepted', 'unknown']).toContain(outcome.outcome);
						else if (endpoint.response.kind === 'code') expect(outcome).toMatchObject(checked);
						else expect(outcome.outcome).toBe('rejected');
					} else if (only) expect(outcome.outcome).toBe('unknown');
				}),
				{ numRuns: runCount(300) },
			);
		});
	},
);
