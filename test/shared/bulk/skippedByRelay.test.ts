import {
	contract,
	recipientResults,
	summarize,
	unnamedRejections,
	UnknownOutcomeError,
	type BatchResult,
	type FailedOutcome,
	type Recipient,
} from '../../../shared';
import type { RelayFacts } from '../../../shared/client/relayReply';

const NUMBERS = ['+233201110001', '+233201110002', '+233201110003', '+233201110004'];
const recipients = NUMBERS.map((to, position): Recipient => ({ to, source: 0, position }));
const input = { to: NUMBERS, sender_id: 'KOFISHOP', message: 'We are open' };
const batch = { index: 0, input: { name: '0', input, recipients } };
const [first = '', second = '', third = '', fourth = ''] = NUMBERS;

const skipped: RelayFacts['skipped'] = [
	{ to: first, outcome: 'accepted', messageId: 'm1' },
	{ to: third, outcome: 'unknown' },
];

function accepted(output: object, relay: RelayFacts): BatchResult {
	return { ...batch, outcome: 'accepted', output: contract.sms.sendBulk.output.parse(output), relay };
}

describe('recipients that a relay left out', () => {
	it('have the outcome of the earlier call, and the others that of the response', () => {
		const output = {
			success: true,
			results: [
				{ to: second, message_id: 'm2' },
				{ to: fourth, status: 'failed' },
			],
		};
		const rows = recipientResults(accepted(output, { replayed: false, skipped }));
		expect(rows.map(({ to, outcome }) => [to, outcome])).toEqual([
			[first, 'accepted'],
			[second, 'accepted'],
			[third, 'unknown'],
			[fourth, 'rejected'],
		]);
		expect(rows[0]).toMatchObject({ position: 0, message_id: 'm1', already_sent: true, segment_count: 1 });
		expect(rows[1]).not.toHaveProperty('already_sent');
		expect(rows[2]).toMatchObject({ error: { sent: 'unknown', hint: expect.stringContaining('settle') as string } });
	});

	it('keep their earlier outcome if the request for the others was rejected', () => {
		const error = new UnknownOutcomeError('lost', { endpoint: 'sms.sendBulk', sent: 'unknown', hint: '' });
		const failed: FailedOutcome = { outcome: 'rejected', error, relay: { replayed: false, skipped } };
		const rows = recipientResults({ ...batch, ...failed });
		expect(rows.map(({ outcome }) => outcome)).toEqual(['accepted', 'rejected', 'unknown', 'rejected']);
	});

	it('are not called already sent if a lost attempt of this call may have sent them', () => {
		const rows = recipientResults(accepted({ success: true }, { replayed: false, maybeSentNow: true, skipped }));
		expect(rows[0]).toMatchObject({ outcome: 'accepted', message_id: 'm1' });
		expect(rows[0]).not.toHaveProperty('already_sent');
	});

	it('are not among the unnamed rejections', () => {
		const output = { success: true, sent: 2, failed: 0, results: [{ to: second }, { to: fourth }] };
		expect(unnamedRejections(accepted(output, { replayed: false, skipped }))).toBe(0);
	});

	it('count neither as a request nor for the cost, if they are all of a batch', () => {
		const relay = { replayed: true, skipped: NUMBERS.map((to) => ({ to, outcome: 'accepted' as const })) };
		const sent = accepted({ success: true, cost: 0.2, balance: 9.8 }, { replayed: false, skipped: [] });
		const left = accepted({ success: true }, relay);
		const summary = summarize([sent, left], [sent, left].flatMap(recipientResults));
		expect(summary).toMatchObject({ accepted: 8, requests: 1, total_segments: 4, cost: 0.2, balance: 9.8 });
	});
});
