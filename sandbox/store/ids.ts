import { randomBytes } from 'node:crypto';

/**
 * Creates an ID that cannot be guessed, e.g. `msg_019a9f3c5b7e1f0c2e5b9a3d7784`: the machine's time and 64 random bits.
 * The time comes first, because the store inserts ordered keys much faster.
 */
export function newId(prefix: string): string {
	return `${prefix}_${Date.now().toString(16).padStart(12, '0')}${randomBytes(8).toString('hex')}`;
}
