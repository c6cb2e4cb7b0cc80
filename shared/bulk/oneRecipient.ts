import { ApiError } from '../client/errors';
import { recipientsOf } from '../client/map';
import type { Outcome } from '../client/outcome';
import type { BulkInput, BulkSendOutput } from './batches';
import { recipientResults } from './results';

/** The output of a bulk send to one recipient, without its list of results. */
export type OneRecipientOutput = Omit<BulkSendOutput, 'results'> & {
	readonly schedule_at?: string;
	/** Only if the service gave one. */
	readonly message_id?: string;
};

/**
 * Reads the outcome of a bulk send to one recipient as that of the message. A single send cannot be scheduled
 * (docs/api.md#send-a-bulk-sms), so a message for later is a bulk send to one.
 * @returns `rejected` or `unknown` if the service accepted the request without the recipient, or not clearly
 * @example outcomeOfOne(await client.call(contract.sms.sendBulk, input), input)
 */
export function outcomeOfOne(outcome: Outcome<BulkSendOutput>, input: BulkInput): Outcome<OneRecipientOutput> {
	if (outcome.outcome !== 'accepted') return outcome;
	const { results, ...response } = outcome.output;
	const time = input.schedule_at === undefined ? {} : { schedule_at: input.schedule_at };
	// A person said that the message arrived, so no response describes it.
	if (outcome.relay?.settledBy !== undefined) return { ...outcome, output: { ...time, ...response } };
	const [to = ''] = recipientsOf(input);
	const batch = { name: '0', input, recipients: [{ to, source: 0, position: 0 }] };
	const [result] = recipientResults({
		index: 0,
		input: batch,
		outcome: 'accepted',
		output: { ...response, results },
	});
	if (result?.outcome === 'unknown') return { outcome: 'unknown', error: result.error };
	if (result && 'message' in result) {
		const hint = 'The service accepted the request without this number. Nothing was sent to it.';
		return {
			outcome: 'rejected',
			error: new ApiError(result.message, { endpoint: 'sms.sendBulk', sent: 'no', hint }),
		};
	}
	const id = result && 'message_id' in result ? { message_id: result.message_id } : {};
	return { ...outcome, output: { ...time, ...response, ...id } };
}
