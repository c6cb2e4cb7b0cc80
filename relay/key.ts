import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The file with the key that encrypts secrets, unless RELAY_KEY is set. */
export function keyFile(folder: string): string {
	return join(folder, 'key');
}

/** Reads the key file. @returns undefined if there is none */
export function readKey(folder: string): string | undefined {
	return existsSync(keyFile(folder)) ? readFileSync(keyFile(folder), 'utf8').trim() : undefined;
}

/** Reads the key file. The first start makes it, and only this user can read it. */
export function ensureKey(folder: string): string {
	const known = readKey(folder);
	if (known !== undefined) return known;
	mkdirSync(folder, { recursive: true, mode: 0o700 });
	const key = randomBytes(32).toString('base64url');
	// The file appears with its key in it, and another process that starts at the same moment may be first.
	const made = `${keyFile(folder)}.${process.pid}`;
	writeFileSync(made, key, { mode: 0o600 });
	try {
		linkSync(made, keyFile(folder));
	} catch {
		const first = readKey(folder);
		if (first !== undefined) return first;
		// Not all file systems have links.
		writeFileSync(keyFile(folder), key, { mode: 0o600, flag: 'wx' });
	} finally {
		rmSync(made);
	}
	return key;
}
