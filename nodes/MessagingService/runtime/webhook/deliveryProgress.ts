import { messageRank } from '../../../../shared/index';
import { BoundedMap } from './boundedMap';

interface Progress {
	/** Highest {@link messageRank} of the statuses; -1 for none that is known. */
	readonly rank: number;
	/** Statuses that were told, the newest last. */
	readonly told: readonly string[];
}

/** The last 20,000 messages of which a receipt came, for three days. */
const messages = new BoundedMap<Progress>(20_000);
const KEPT_MS = 3 * 24 * 3_600_000;
const REPORTS_KEPT = 8;

/** What a status means for a message of which others may be known. */
export type Advance = 'new' | 'known' | 'late';

/**
 * Judges a status: `new` moves the message on, `known` was told before, `late` would move it back. A final status stays:
 * one that contradicts it is late. Statuses that nobody knows never move a message and are told once.
 * @param key of the trigger and the message
 */
export function judgeStatus(key: string, status: string): Advance {
	const progress = messages.get(key, Date.now());
	if (progress === undefined) return 'new';
	if (progress.told.includes(status)) return 'known';
	const rank = messageRank(status);
	return rank === undefined || rank > progress.rank ? 'new' : 'late';
}

/** Judges a status and, where it is new, keeps it. */
export function advance(key: string, status: string): Advance {
	const verdict = judgeStatus(key, status);
	if (verdict === 'new') {
		const now = Date.now();
		const { rank = -1, told = [] } = messages.get(key, now) ?? {};
		const reached = Math.max(rank, messageRank(status) ?? -1);
		messages.set(key, { rank: reached, told: [...told, status].slice(-REPORTS_KEPT) }, now + KEPT_MS);
	}
	return verdict;
}

/** Forgets a status that n8n did not accept: the same one is new again. */
export function undoAdvance(key: string, status: string): void {
	const now = Date.now();
	const reported = messages.get(key, now)?.told.filter((one) => one !== status) ?? [];
	const rank = Math.max(-1, ...reported.map((one) => messageRank(one) ?? -1));
	messages.set(key, { rank, told: reported }, now + KEPT_MS);
}
