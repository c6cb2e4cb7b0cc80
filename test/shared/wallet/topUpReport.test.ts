import { PAYER_STEPS, segments, topUpReport } from '../../../shared';

describe('topUpReport', () => {
	it.each([
		['completed', { paid: 'yes' }],
		['denied', { paid: 'no' }],
		['expired', { paid: 'no' }],
		['pending', { paid: 'pending', payer_steps: PAYER_STEPS }],
		['gold', { paid: 'unknown' }],
	])('describes the status %s, with steps for the payer only while it is pending', (status, report) => {
		expect(topUpReport(status)).toEqual(report);
	});
});

it('the steps of a payer fit into one segment of an SMS', () => {
	expect(segments(PAYER_STEPS)).toMatchObject({ encoding: 'GSM-7', segment_count: 1 });
});
