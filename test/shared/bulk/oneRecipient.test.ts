import { outcomeOfOne, type BulkSendOutput, type Outcome } from '../../../shared';

const to = '+233201234567';
const schedule_at = '2031-12-01 08:00:00';
const input = { to: [to], sender_id: 'KOFISHOP', message: 'New stock is in', schedule_at };
const accepted = (output: BulkSendOutput): Outcome<BulkSendOutput> => ({ outcome: 'accepted', output });

describe('a bulk send to one recipient, as the outcome of its message', () => {
	it('has the ID of the message and no list of results', () => {
		const output = { success: true, batch_id: 'b1', results: [{ to, message_id: 'm1', status: 'queued' }] };
		expect(outcomeOfOne(accepted(output), input)).toEqual({
			outcome: 'accepted',
			output: { success: true, batch_id: 'b1', message_id: 'm1', schedule_at },
		});
	});

	it('is accepted if the service accepts the request without results', () => {
		const output = { success: true, batch_id: 'b1' };
		expect(outcomeOfOne(accepted(output), input)).toEqual({ outcome: 'accepted', output: { ...output, schedule_at } });
	});

	it('is rejected if the service accepted the request without the number', () => {
		const output = { success: true, batch_id: 'b1', results: [{ to, status: 'rejected', error: 'Opted out' }] };
		const outcome = outcomeOfOne(accepted(output), input);
		expect(outcome).toMatchObject({ outcome: 'rejected', error: { sent: 'no', endpoint: 'sms.sendBulk' } });
	});

	it('is unknown if the response does not say yes', () => {
		expect(outcomeOfOne(accepted({}), input)).toMatchObject({ outcome: 'unknown', error: { sent: 'unknown' } });
	});

	it('is accepted if a person settled it, although no response describes it', () => {
		const relay = { replayed: true, settledBy: 'person' } as const;
		const outcome = { outcome: 'accepted', output: {}, relay } as const;
		expect(outcomeOfOne(outcome, input)).toEqual({ outcome: 'accepted', output: { schedule_at }, relay });
	});
});
