import type { Priority } from './database';

/** Runs work on a database that has one connection, one piece at a time. */
export type Gate = <Result>(work: () => Promise<Result>, priority?: Priority) => Promise<Result>;

/**
 * Creates a gate. Urgent work goes first. Between two pieces the event loop gets a turn: PGlite resolves in microtasks,
 * and without a turn sockets with data would wait until all queries are done.
 */
export function createGate(): Gate {
	const waiting: Readonly<Record<Priority, Array<() => Promise<void>>>> = { urgent: [], normal: [] };
	const next = () => waiting.urgent.shift() ?? waiting.normal.shift();
	let busy = false;

	async function run(): Promise<void> {
		if (busy) return;
		busy = true;
		for (let work = next(); work; work = next()) {
			await work();
			await new Promise((resume) => setImmediate(resume));
		}
		busy = false;
	}

	return async (work, priority = 'normal') =>
		await new Promise((resolve, reject) => {
			waiting[priority].push(() => work().then(resolve, reject));
			void run();
		});
}
