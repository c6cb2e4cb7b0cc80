import type { Changes } from '../changes';
import { logProblem } from '../log';
import type { SendStore, Settlement } from './store';
import type { Watch } from './watch';

/** How often outcomes that could not be written are tried again, in milliseconds. */
const AGAIN_MS = 1_000;

/** Writes the outcomes of sends. */
export interface Outcomes {
	/** Resolves after the outcomes are on disk, or will be tried again. Never throws, because the calls have left. */
	settle(settlements: readonly Settlement[]): Promise<void>;
	/** Frees keys whose claim failed. The database may have written it before the connection was lost. */
	release(ids: readonly string[]): void;
	/** Tries once more to write outcomes that are left. Without it, they become unknown. */
	close(): Promise<void>;
}

/** Creates the writer of outcomes. While the database is away, it keeps the outcomes in memory and tries again. */
export function createOutcomes(store: SendStore, watch: Watch, changes: Changes): Outcomes {
	let left: Settlement[] = [];
	let timer: NodeJS.Timeout | undefined;

	async function write(settlements: readonly Settlement[]): Promise<void> {
		await store.settle(settlements);
		watch.wake(settlements.map(({ id }) => id));
		changes.announce('sends');
	}

	async function writeLeft(): Promise<void> {
		timer = undefined;
		const settlements = left;
		left = [];
		try {
			await write(settlements);
		} catch {
			later(settlements);
		}
	}

	function later(settlements: readonly Settlement[]): void {
		left = [...left, ...settlements];
		timer ??= setTimeout(() => void writeLeft(), AGAIN_MS).unref();
	}

	return {
		async settle(settlements) {
			if (settlements.length === 0) return;
			try {
				await write(settlements);
			} catch (error) {
				logProblem('The outcome of a send could not be stored, and will be tried again', error);
				later(settlements);
			}
		},
		release: (ids) => later(ids.map((id) => ({ id, state: 'rejected' }))),
		async close() {
			clearTimeout(timer);
			if (left.length === 0) return;
			await write(left).catch((error: unknown) => {
				logProblem('Outcomes of sends could not be stored. They become unknown', error);
			});
		},
	};
}
