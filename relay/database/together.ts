interface Waiting<In, Out> {
	readonly item: In;
	readonly resolve: (out: Out) => void;
	readonly reject: (error: unknown) => void;
}

/**
 * Lets calls of the same moment share one write. While a write runs, further calls wait and share the next one. If the
 * database rejects the data of a shared write, its members are written one by one, so that one bad item does not fail the
 * others. If the database is away, all fail at once.
 * @param write writes all items or none, and returns one result for each
 * @param options `most`: items in one write; `atOnce`: writes at the same time; `mostWaiting`: beyond this, a call fails at
 * once with {@link Overloaded}
 * @returns writes one item, and resolves after its write is committed
 */
export function together<In, Out>(
	write: (items: readonly In[]) => Promise<readonly Out[]>,
	{
		most = 200,
		atOnce = 1,
		mostWaiting = Infinity,
	}: { readonly most?: number; readonly atOnce?: number; readonly mostWaiting?: number } = {},
): (item: In) => Promise<Out> {
	let waiting: Array<Waiting<In, Out>> = [];
	let running = 0;

	async function writeAll(members: ReadonlyArray<Waiting<In, Out>>): Promise<void> {
		try {
			const results = await write(members.map(({ item }) => item));
			for (const [index, { resolve, reject }] of members.entries()) {
				const result = results[index];
				if (result === undefined) reject(new Error('A shared write returned too few results'));
				else resolve(result);
			}
		} catch (error) {
			if (members.length > 1 && isAboutData(error)) for (const member of members) await writeAll([member]);
			else for (const { reject } of members) reject(error);
		}
	}

	async function flush(): Promise<void> {
		while (waiting.length > 0) {
			const members = waiting.slice(0, most);
			waiting = waiting.slice(most);
			await writeAll(members);
			// A turn of the event loop, not a microtask: sockets with data would wait otherwise.
			await new Promise((resume) => setImmediate(resume));
		}
		running -= 1;
	}

	return async (item) =>
		await new Promise((resolve, reject) => {
			if (waiting.length >= mostWaiting) {
				reject(new Overloaded());
				return;
			}
			waiting.push({ item, resolve, reject });
			if (running >= atOnce) return;
			running += 1;
			setImmediate(() => void flush());
		});
}

/** Too many calls are waiting for the database. */
export class Overloaded extends Error {
	override readonly name = 'Overloaded';
	override readonly message = 'Too many requests are waiting for the database. Try again in a few seconds.';
}

/** Whether PostgreSQL rejected a value: a data exception, a constraint or a limit (SQLSTATE classes 22, 23 and 54). */
export function isAboutData(error: unknown): boolean {
	return error instanceof Error && 'code' in error && /^(22|23|54)\w{3}$/.test(String(error.code));
}
