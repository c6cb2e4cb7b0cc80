import { randomBytes } from 'node:crypto';

/** How many identifiers' randomness is drawn at once: asking for a little each time takes much longer. */
const DRAWN = 256;
const RANDOM_BYTES = 8;

let drawn = Buffer.alloc(0);
let used = 0;

function random(): string {
	if (used === drawn.length) {
		drawn = randomBytes(DRAWN * RANDOM_BYTES);
		used = 0;
	}
	used += RANDOM_BYTES;
	return drawn.toString('hex', used - RANDOM_BYTES, used);
}

/**
 * Makes an identifier that nobody guesses, e.g. `msg_019a9f3c5b7e1f0c2e5b9a3d7784`: the machine's time and 64 random
 * bits. Beginning with the time they come in order, and the store keeps what comes in order much faster.
 */
export function newId(prefix: string): string {
	return `${prefix}_${Date.now().toString(16).padStart(12, '0')}${random()}`;
}
