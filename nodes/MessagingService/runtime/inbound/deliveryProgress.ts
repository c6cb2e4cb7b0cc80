import { BoundedMap } from './boundedMap';

/** How far a message has come; the five of the interface (service.md, Message status) and words that others use. */
const STAGES: ReadonlyArray<readonly string[]> = [
	['queued', 'accepted', 'pending', 'scheduled'],
	['submitted'],
	['sent', 'dispatched', 'enroute', 'buffered'],
	['delivered', 'failed', 'undelivered', 'undeliverable', 'rejected', 'expired'],
	['read'],
];
const stageOf = new Map(STAGES.flatMap((words, stage) => words.map((word) => [word, stage] as const)));

interface Progress {
	readonly stage: number;
	/** Statuses that were told, the newest last. */
	readonly told: readonly string[];
}

/** The last 20,000 messages of which a receipt came, for three days. */
const messages = new BoundedMap<Progress>(20_000);
const KEPT_MS = 3 * 24 * 3_600_000;
const TOLD_KEPT = 8;

/** What a status means for a message of which others may be known. */
export type Advance = 'new' | 'known' | 'late';

/**
 * Judges a status: `new` moves the message on, `known` was told before, `late` would move it back. A final status stays:
 * one that contradicts it is late. Statuses that nobody knows never move a message and are told once.
 * @param key of the trigger and the message
 */
export function judge(key: string, status: string): Advance {
	const progress = messages.get(key, Date.now());
	if (progress === undefined) return 'new';
	if (progress.told.includes(status)) return 'known';
	const stage = stageOf.get(status);
	return stage === undefined || stage > progress.stage ? 'new' : 'late';
}

/** Whether a status is of an earlier stage than another; never for statuses that nobody knows. */
export function isBehind(status: string, other: string): boolean {
	const [stage, otherStage] = [stageOf.get(status), stageOf.get(other)];
	return stage !== undefined && otherStage !== undefined && stage < otherStage;
}

/** Judges a status and, where it is new, keeps it. */
export function advance(key: string, status: string): Advance {
	const verdict = judge(key, status);
	if (verdict === 'new') {
		const now = Date.now();
		const { stage = -1, told = [] } = messages.get(key, now) ?? {};
		const reached = Math.max(stage, stageOf.get(status) ?? -1);
		messages.set(key, { stage: reached, told: [...told, status].slice(-TOLD_KEPT) }, now + KEPT_MS);
	}
	return verdict;
}
