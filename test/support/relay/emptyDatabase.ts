import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dataFolder, openFolder } from '../../../relay/database/folder';

/** The folder with the data of an empty embedded database. Making it takes longer than all else at the start of a relay. */
const VARIABLE = 'RELAY_TEST_EMPTY_DATABASE';

/** Makes the database before the tests, for all files. */
export default async function makeEmptyDatabase(): Promise<void> {
	const folder = mkdtempSync(join(tmpdir(), 'relay-empty-'));
	process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
	await (await openFolder(folder)).close();
	process.env[VARIABLE] = folder;
}

/** Copies the empty database to a folder. The relay that starts there makes its tables. */
export function copyEmptyDatabase(folder: string): void {
	const from = process.env[VARIABLE];
	if (from !== undefined) cpSync(dataFolder(from), dataFolder(folder), { recursive: true });
}
