import { isLong, useDatabase } from '../support/relay/databases';
import { runWithKills } from '../support/relay/killRun';

const kills = isLong ? 100 : 6;

describe.each([
	{ kind: 'folder', processes: 1 },
	{ kind: 'postgres', processes: 2 },
] as const)('kills at random moments under load ($kind, processes: $processes)', ({ kind, processes }) => {
	const database = useDatabase(kind);

	it(
		'loses no acknowledged event, keeps the order of each message, and repeats only after a kill',
		async () => {
			const report = await runWithKills(database(), { kills, processes });
			process.stdout.write(`Kills on ${kind}: ${JSON.stringify(report)}\n`);
			expect(report).toMatchObject({ kills, lost: 0, repeatedWithoutKill: 0, outOfOrder: 0, changedIds: 0 });
			expect(report.acknowledged).toBeGreaterThan(kills * 10);
		},
		isLong ? 3_600_000 : 240_000,
	);
});
