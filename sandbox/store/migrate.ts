import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod/v4';
import { transaction } from '../performance';

const folder = join(__dirname, 'migrations');
const version = z.object({ user_version: z.number() });

/**
 * Upgrades a database to the newest schema: runs each new file of `migrations/`, in order of name.
 * @throws Error if the file was written by a newer sandbox
 */
export function migrate(database: DatabaseSync): void {
	const files = readdirSync(folder)
		.filter((name) => name.endsWith('.sql'))
		.sort();
	const done = version.parse(database.prepare('PRAGMA user_version').get()).user_version;
	if (done > files.length) throw new Error('the file was written by a newer version of the sandbox');
	for (const [index, name] of files.entries()) {
		if (index < done) continue;
		transaction(database, () => {
			database.exec(readFileSync(join(folder, name), 'utf8'));
			database.exec(`PRAGMA user_version = ${index + 1}`);
		});
	}
}
