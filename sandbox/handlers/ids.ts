import { randomUUID } from 'node:crypto';

/** Makes an identifier that nobody guesses, e.g. `msg_1f0c2e5b9a3d7784`. */
export function newId(prefix: string): string {
	return `${prefix}_${randomUUID().replaceAll('-', '').slice(-16)}`;
}
