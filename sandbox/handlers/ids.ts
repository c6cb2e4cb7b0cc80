import { randomBytes } from 'node:crypto';

/** Number of IDs whose random bytes are drawn together, because many small draws are slow. */
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
 * Creates an ID that cannot be guessed, e.g. `msg_019a9f3c5b7e1f0c2e5b9a3d7784`: the machine's time and 64 random bits.
 * The time comes first, because the store inserts ordered keys much faster.
 */
export function newId(prefix: string): string {
	return `${prefix}_${Date.now().toString(16).padStart(12, '0')}${random()}`;
}
