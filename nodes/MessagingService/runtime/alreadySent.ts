import type { IDataObject } from 'n8n-workflow';
import { recipientsOf } from '../../../shared';
import { RECENT_MS } from './callOnce';
import type { Call, Run } from './operation';
import { withoutCharges } from './sendOnce';

/**
 * Makes the row of an agent's message that was already sent. The row names the recipient: n8n gives parallel calls the
 * fields of the first one, so the agent must see which message each row is about.
 * @param first the fields of the accepted message
 */
export function alreadySentRow({ context }: Run, { input }: Call, first: unknown): IDataObject {
	const [to] = recipientsOf(input);
	const timed = input.schedule_at === undefined ? '' : ' The time to send it is not compared.';
	const again = input.message === undefined ? '' : ' To send it again on purpose, change its text.';
	return {
		...withoutCharges(first),
		...(to !== undefined && { to }),
		first_outcome: 'accepted',
		outcome: 'skipped',
		reason: 'already_sent',
		message: `The same message was already sent to this recipient ${whenOf(context.getExecutionId())}. Nothing was sent or charged now.${timed}${again}`,
	};
}

/** Says when an agent's message was sent first. */
export function whenOf(executionId: string | undefined): string {
	return executionId ? 'earlier in this execution' : `in the last ${RECENT_MS / 60_000} minutes`;
}
