import type { Priority } from './database';

/** Runs work on a database that has one connection, one piece at a time. */
export type Gate = <Result>(work: () => Promise<Result>, priority?: Priority) => Promise<Result>;

/** Urgent pieces in a row while normal work waits. Several sources of urgent work could keep it waiting forever. */
const MOST_URGENT = 4;

/**
 * Creates a gate. Urgent work goes first, and normal work at least after every fourth urgent piece. Between two pieces the
 * event loop gets a turn: PGlite resolves in microtasks, and without a turn sockets with data would wait until all queries
 * are done. Between two normal pieces it gets a second one: a request that arrived meanwhile needs it to meet others that
 * share its write. It would wait for one more piece otherwise.
 */
export function createGate(): Gate {
	const waiting: Readonly<Record<Priority, Array<() => Promise<void>>>> = { urgent: [], normal: [] };
	let urgentInRow = 0;
	let busy = false;

	function next(): (() => Promise<void>) | undefined {
		const normalFirst = urgentInRow >= MOST_URGENT && waiting.normal.length > 0;
		const isUrgent = !normalFirst && waiting.urgent.length > 0;
		urgentInRow = isUrgent ? urgentInRow + 1 : 0;
		return (isUrgent ? waiting.urgent : waiting.normal).shift();
	}

	async function run(): Promise<void> {
		if (busy) return;
		busy = true;
		while (waiting.urgent.length > 0 || waiting.normal.length > 0) {
			if (urgentInRow === 0 && waiting.urgent.length === 0) await turn();
			await next()?.();
			await turn();
		}
		busy = false;
	}

	return async (work, priority = 'normal') =>
		await new Promise((resolve, reject) => {
			waiting[priority].push(() => work().then(resolve, reject));
			void run();
		});
}

async function turn(): Promise<void> {
	await new Promise((resume) => setImmediate(resume));
}
