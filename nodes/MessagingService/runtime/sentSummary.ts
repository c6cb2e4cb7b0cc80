import { isOptionSet } from './parameters';
import { runAgainNote, isOnce, SkippedRow, type Result } from './outputItems';
import type { Run } from './operation';

/** Maximum number of IDs in an error. */
const MAX_NAMED = 5;

/**
 * Lists in sentences the messages that a run sent or may have sent. Empty if there are none.
 * @param of the items, including earlier tries
 * @param failed the result whose error is shown with the summary
 */
export function sentSummary({ context }: Run, results: readonly Result[], failed?: Result): string {
	const sent = results.filter(
		(result) => result.outcome === 'accepted' && isOnce(result.input) && !(result.output instanceof SkippedRow),
	);
	const unknown = results.filter((result) => result.outcome === 'unknown' && result !== failed);
	const sentences: string[] = [];
	if (sent.length > 0) {
		const ids = sent.flatMap((result) => {
			const { message_id, batch_id } = Object('output' in result ? result.output : {}) as Record<string, unknown>;
			return [message_id, batch_id].filter((id) => typeof id === 'string').slice(0, 1);
		});
		const named = ids.length > MAX_NAMED ? [...ids.slice(0, MAX_NAMED), '…'] : ids;
		const were = sent.length === 1 ? '1 item of this run was' : `${sent.length} items of this run were`;
		const keyed = isOptionSet(context, 'sendOnceKey');
		sentences.push(
			`${were} already sent${named.length > 0 ? ` (${named.join(', ')})` : ''}. ${runAgainNote(sent.length, keyed)}`,
		);
	}
	if (unknown.length > 0) sentences.push(maybeSent(unknown.length === 1 ? '1 item' : `${unknown.length} items`));
	return sentences.join(' ');
}

/**
 * Says that something may have been sent.
 * @param what e.g. "2 items"
 */
export function maybeSent(what: string): string {
	return `${what} of this run may have been sent. Check your message history before you send again.`;
}
