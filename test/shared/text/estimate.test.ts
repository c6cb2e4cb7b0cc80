import { estimate, type EstimateInput } from '../../../shared/text/estimate';
import { fc } from '../../support/random';

const text = 'Hello'.repeat(40); // 200 characters, 2 segments
const matching = (pattern: RegExp): unknown => expect.stringMatching(pattern);
const cost = (input: Partial<EstimateInput>) =>
	estimate({ text, recipients: 1, price: { perSegment: 0.05 }, ...input });

describe('estimate', () => {
	it('multiplies recipients, segments and the given price', () => {
		expect(cost({ recipients: 3, currency: 'GHS' })).toEqual({
			ok: true,
			recipients: 3,
			segment_count: 2,
			total_segments: 6,
			price_per_segment: 0.05,
			cost: 0.3,
			currency: 'GHS',
			basis: 'price_given',
			cost_basis: matching(/\b0\.05 per segment/),
		});
	});

	it('derives the price from an earlier send, and says so', () => {
		expect(cost({ recipients: 10, price: { cost: '0.15', segmentCount: 3 } })).toMatchObject({
			price_per_segment: 0.05,
			cost: 1,
			basis: 'earlier_send',
			cost_basis: matching(/\b0\.15 for 3 segments\./),
		});
	});

	it('divides last, to lose nothing to rounding, and says when it rounds', () => {
		expect(cost({ recipients: 3, price: { cost: 0.1, segmentCount: 6 } })).toMatchObject({
			price_per_segment: 0.0167,
			cost: 0.1,
			cost_basis: matching(/\b0\.1 for 6 segments\. /),
		});
		expect(cost({ recipients: 1, price: { cost: 0.1, segmentCount: 3 } })).toMatchObject({
			cost: 0.0667,
			cost_basis: matching(/, rounded to 4 decimals\. /),
		});
	});

	it.each([
		[0.1 + 0.2, 0.6],
		['0.00475', 0.0095],
		[0.0000001, 0.0000002],
		['  1 ', 2],
		[0, 0],
		['000.50', 1],
	])('reads a price of %p exactly', (perSegment, expected) => {
		expect(cost({ price: { perSegment } })).toMatchObject({ ok: true, cost: expected });
	});

	it('costs nothing for no recipients', () => {
		expect(cost({ recipients: 0 })).toMatchObject({ ok: true, cost: 0, total_segments: 0 });
	});

	it('computes the exact cost in hundredths of a pesewa', () => {
		fc.assert(
			fc.property(fc.nat({ max: 100_000 }), fc.nat({ max: 5_000_000 }), (tenThousandths, recipients) => {
				const perSegment = (tenThousandths / 10_000).toFixed(4);
				const result = cost({ recipients, price: { perSegment } });
				if (!result.ok) throw new Error(result.message);
				expect(Math.round(result.cost * 10_000)).toBe(2 * recipients * tenThousandths);
				expect(String(result.cost)).toMatch(/^\d+(\.\d{1,4})?$/);
			}),
		);
	});

	it.each<[string, Partial<EstimateInput>, string, string]>([
		['half a recipient', { recipients: 1.5 }, 'recipients', 'not_a_count'],
		['less than no recipients', { recipients: -1 }, 'recipients', 'not_a_count'],
		['NaN recipients', { recipients: NaN }, 'recipients', 'not_a_count'],
		['too many', { recipients: Number.MAX_SAFE_INTEGER }, 'recipients', 'too_large'],
		['too much', { recipients: 2 ** 40, price: { perSegment: 9999 } }, 'recipients', 'too_large'],
		['a decimal comma', { price: { perSegment: '0,05' } }, 'perSegment', 'not_an_amount'],
		['a currency sign', { price: { perSegment: '₵0.05' } }, 'perSegment', 'not_an_amount'],
		['a negative price', { price: { perSegment: -0.05 } }, 'perSegment', 'not_an_amount'],
		['no number', { price: { perSegment: NaN } }, 'perSegment', 'not_an_amount'],
		['infinity', { price: { perSegment: Infinity } }, 'perSegment', 'not_an_amount'],
		['nothing', { price: { perSegment: '' } }, 'perSegment', 'not_an_amount'],
		['a cost that is no amount', { price: { cost: 'x', segmentCount: 1 } }, 'cost', 'not_an_amount'],
		['a send that credits paid for', { price: { cost: 0, segmentCount: 1 } }, 'cost', 'no_price'],
		['a send of no segments', { price: { cost: 1, segmentCount: 0 } }, 'segmentCount', 'not_a_count'],
	])('rejects an estimate for %s', (_, input, field, problem) => {
		expect(cost(input)).toEqual({ ok: false, field, problem, message: matching(/^(is|and|must) /) });
	});
});
