import { messageRank } from '../contract/messageProgress';

/**
 * The statuses that receipts reported for one message. The host keeps it.
 * @example const progress: DeliveryProgress = { rank: 2, reported: ['submitted', 'sent'] };
 */
export interface DeliveryProgress {
	/** The highest rank of the statuses (`messageRank`); -1 if none is known. */
	readonly rank: number;
	/** The reported statuses, the newest last. */
	readonly reported: readonly string[];
}

/**
 * How long the progress of a message is kept after its last new status, in milliseconds.
 * @example progress.set(message, next, PROGRESS_KEPT_MS);
 */
export const PROGRESS_KEPT_MS = 3 * 24 * 3_600_000;

const REPORTS_KEPT = 8;

/**
 * The effect of a status on its message. `new` moves it forward, `known` was reported before, `late` would move it back.
 * @example const verdict: StatusVerdict = 'late';
 */
export type StatusVerdict = 'new' | 'known' | 'late';

/**
 * Compares a status with earlier ones. A final status stays, and one that contradicts it is `late`. An unrecognized
 * status is `new` once and never changes the rank.
 * @param progress of the message; undefined if there is none
 * @param status in lower case
 * @returns the verdict, and the progress to keep: the same one unless the verdict is `new`
 * @example judgeStatus(undefined, 'sent') // { verdict: 'new', next: { rank: 2, reported: ['sent'] } }
 */
export function judgeStatus(
	progress: DeliveryProgress = { rank: -1, reported: [] },
	status: string,
): { readonly verdict: StatusVerdict; readonly next: DeliveryProgress } {
	const { rank, reported } = progress;
	if (reported.includes(status)) return { verdict: 'known', next: progress };
	const reached = messageRank(status) ?? -1;
	if (reached >= 0 && reached <= rank) return { verdict: 'late', next: progress };
	const next = { rank: Math.max(rank, reached), reported: [...reported, status].slice(-REPORTS_KEPT) };
	return { verdict: 'new', next };
}

/**
 * Removes a status that the receiver did not accept, so that it is new again.
 * @returns the progress to keep
 * @example withoutStatus({ rank: 2, reported: ['sent'] }, 'sent') // { rank: -1, reported: [] }
 */
export function withoutStatus(progress: DeliveryProgress | undefined, status: string): DeliveryProgress {
	const reported = progress?.reported.filter((one) => one !== status) ?? [];
	return { rank: Math.max(-1, ...reported.map((one) => messageRank(one) ?? -1)), reported };
}
