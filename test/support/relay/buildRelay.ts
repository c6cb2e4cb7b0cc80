import { join } from 'node:path';
import { startEngine } from '../../../relay/database/engine';
import { openMigrated } from '../../../relay/database/open';
import { WAITS } from '../../../relay/waits';
import { buildPackage } from '../../../scripts/lib/packages/build';
import { programPackages } from '../../../scripts/lib/packages/packages';

/** Makes the files of `builtRelay.ts` in the folder of the first argument. */
async function main(): Promise<void> {
	const [, , folder = ''] = process.argv;
	const relay = programPackages.find((program) => program.folder === 'relay');
	if (relay === undefined) throw new Error('There is no package of the relay');
	const support = 'test/support/relay';
	const commands = {
		...relay.commands,
		inProcess: `${support}/inProcess.ts`,
		quickProgram: `${support}/quickProgram.ts`,
	};
	await buildPackage({ ...relay, commands }, join(folder, 'package'));

	const database = await openMigrated(join(folder, 'empty'), WAITS.statement);
	const engine = await startEngine(database, WAITS, (error) => {
		throw error;
	});
	await engine.stop(0);
	await database.close();
}

void main();
