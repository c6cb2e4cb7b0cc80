import type { Role } from '../../relay/settings';
import { isLong } from '../support/random';
import { useDatabase, type DatabaseKind } from '../support/relay/databases';
import { formatKills } from '../support/relay/killReport';
import { runWithKills } from '../support/relay/killRun';

const kills = isLong ? 100 : 4;

type Run = { readonly kind: DatabaseKind; readonly roles: readonly Role[] };

/** The long runs are those of docs/relay.md. */
const ON_POSTGRES: readonly Run[] = isLong
	? [
			{ kind: 'postgres', roles: ['all', 'all'] },
			{ kind: 'postgres', roles: ['web', 'worker'] },
		]
	: [{ kind: 'postgres', roles: ['web', 'worker', 'all'] }];

const runs: readonly Run[] = [{ kind: 'folder', roles: ['all'] }, ...ON_POSTGRES];

describe.each(runs)('kills at random moments under load ($kind, processes: $roles)', ({ kind, roles }) => {
	const database = useDatabase(kind);

	it(
		'loses no acknowledged event, keeps IDs and the order of each message, and repeats only after a kill',
		async () => {
			const report = await runWithKills(database(), { kills, roles });
			process.stdout.write(formatKills(`${kind}, processes: ${roles.join(' and ')}`, report));
			expect(report).toMatchObject({
				kills,
				lost: 0,
				repeatedWithoutKill: 0,
				outOfOrder: 0,
				changedIds: 0,
				unwanted: 0,
			});
			expect(report.acknowledged).toBeGreaterThan(kills * 10);
			expect(report.late).toBeGreaterThan(0);
			expect(report.forwardedStops).toBeGreaterThan(0);
			expect(report.rejected).toBeGreaterThan(0);
		},
		isLong ? 3_600_000 : 300_000,
	);
});
