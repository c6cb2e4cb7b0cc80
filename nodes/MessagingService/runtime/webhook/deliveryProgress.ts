import { messageRank } from '../../../../shared/index';
import { BoundedMap } from '../boundedMap';

interface Progress {
	/** The highest {@link messageRank} of the statuses; -1 if none is known. */
	readonly rank: number;
	/** The reported statuses, the newest last. */
	readonly reported: readonly string[];
}

/** The last 20,000 messages with receipts, for three days. */
const messages = new BoundedMap<Progress>(20_000);
const KEPT_MS = 3 * 24 * 3_600_000;
const REPORTS_KEPT = 8;

/** The effect of a status on a message. */
export type Advance = 'new' | 'known' | 'late';

/**
 * Compares a status with earlier ones. `new` moves the message forward, `known` was reported before, `late` would move
 * it back. A final status stays, and one that contradicts it is `late`. An unrecognized status is `new` once and never
 * changes the progress.
 * @param key of the trigger and the message
 */
export function judgeStatus(key: string, status: string): Advance {
	const progress = messages.get(key);
	if (progress === undefined) return 'new';
	if (progress.reported.includes(status)) return 'known';
	const rank = messageRank(status);
	return rank === undefined || rank > progress.rank ? 'new' : 'late';
}

/** Compares a status with earlier ones, and keeps it if it is new. */
export function advance(key: string, status: string): Advance {
	const verdict = judgeStatus(key, status);
	if (verdict === 'new') {
		const { rank = -1, reported = [] } = messages.get(key) ?? {};
		const reached = Math.max(rank, messageRank(status) ?? -1);
		messages.set(key, { rank: reached, reported: [...reported, status].slice(-REPORTS_KEPT) }, KEPT_MS);
	}
	return verdict;
}

/** Forgets a status that n8n did not accept, so that it is new again. */
export function undoAdvance(key: string, status: string): void {
	const rest = messages.get(key)?.reported.filter((one) => one !== status) ?? [];
	const rank = Math.max(-1, ...rest.map((one) => messageRank(one) ?? -1));
	messages.set(key, { rank, reported: rest }, KEPT_MS);
}
