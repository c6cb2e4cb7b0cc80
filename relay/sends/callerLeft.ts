/**
 * Turns of the event loop until the end of a connection is noticed: one that may be half over, one in which the socket is
 * read, and one in which it is closed.
 */
const TURNS = 3;

/**
 * Looks whether the caller has left, right before its call leaves for the service. A request may have waited for long in
 * the queue of a socket, with the end of its connection right behind it. The claim of a key on an embedded database reads
 * no socket, so the relay would not notice that end. By then, a later attempt of the caller may have been rejected.
 * @param signals end the waits of the call
 * @returns whether one is aborted
 */
export async function callerLeft(signals: readonly AbortSignal[]): Promise<boolean> {
	const isOver = () => signals.some(({ aborted }) => aborted);
	for (let turn = 0; turn < TURNS && !isOver(); turn += 1) {
		await new Promise((resume) => setImmediate(resume));
	}
	return isOver();
}
