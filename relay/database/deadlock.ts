/** How often one piece of work is begun in all. */
const ATTEMPTS = 5;

/**
 * Runs work again if PostgreSQL ended it to resolve a deadlock. Nothing of it was written then, and the other side goes on.
 * @param work one statement or one transaction
 * @throws the error of `work`
 */
export async function despiteDeadlocks<Result>(work: () => Promise<Result>): Promise<Result> {
	for (let attempt = 1; ; attempt += 1) {
		try {
			return await work();
		} catch (error) {
			if (attempt === ATTEMPTS || !isDeadlock(error)) throw error;
		}
	}
}

/** SQLSTATE `deadlock_detected`. */
function isDeadlock(error: unknown): boolean {
	return error instanceof Error && 'code' in error && error.code === '40P01';
}
