const DAY_MS = 24 * 3_600_000;

/** When an event is removed. */
export function endOfRetention(receivedAt: Date, retentionDays: number): Date {
	return new Date(receivedAt.getTime() + retentionDays * DAY_MS);
}

/** Events that arrived before this moment are removed. */
export function startOfRetention(now: Date, retentionDays: number): Date {
	return new Date(now.getTime() - retentionDays * DAY_MS);
}
