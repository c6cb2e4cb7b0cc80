import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atFileEnd } from './atFileEnd';

/** Makes a temporary folder that is removed at the end of the test file. */
export function temporaryFolder(prefix = 'messaging-service-test-'): string {
	const folder = mkdtempSync(join(tmpdir(), prefix));
	atFileEnd(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
	return folder;
}
