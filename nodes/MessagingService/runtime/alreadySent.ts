import type { IDataObject } from 'n8n-workflow';
import { recipientsOf } from '../../../shared';
import { RECENT_MS } from './callOnce';
import type { Call, Run } from './operation';
import { withoutCharges } from './sendOnce';

/**
 * The row of an agent's message that was sent before: with its recipient, since n8n gives parallel calls the fields of the
 * first one, and the agent must see which message each call stood for.
 * @param first the fields of the accepted message
 */
export function alreadySentRow({ context }: Run, { input }: Call, first: unknown): IDataObject {
	const [to] = recipientsOf(input);
	const timed = input.schedule_at === undefined ? '' : ' A time to send it is not compared.';
	const again = input.message === undefined ? '' : ' To send it again on purpose, change its text.';
	return {
		...withoutCharges(first),
		...(to !== undefined && { to }),
		first_outcome: 'accepted',
		outcome: 'skipped',
		reason: 'already_sent',
		message: `The same message was sent to this recipient ${whenOf(context.getExecutionId())}: nothing was sent and nothing was charged now.${timed}${again}`,
	};
}

/** When an agent's message was sent before, in words. */
export function whenOf(executionId: string | undefined): string {
	return executionId ? 'before in this execution' : `in the last ${RECENT_MS / 60_000} minutes`;
}
