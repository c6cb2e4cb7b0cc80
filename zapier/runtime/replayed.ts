import type { BatchResult } from '../../shared';

/** Whether an earlier run sent all that a bulk send accepted, so that nothing was sent now. */
export function isReplayed(done: readonly BatchResult[]): boolean {
	const accepted = done.flatMap((result) => (result.outcome === 'accepted' ? [result.relay?.replayed === true] : []));
	return accepted.length > 0 && accepted.every(Boolean) && done.every(({ outcome }) => outcome !== 'unknown');
}
