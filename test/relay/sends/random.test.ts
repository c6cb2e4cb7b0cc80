import { fc, isLong } from '../../support/random';
import { describeOnEachDatabase } from '../../support/relay/databases';
import { useSandbox } from '../../support/useSandbox';
import { gatewayEnv } from '../../support/relay/gateway';
import { startCallerHop, startServiceHop } from './model/hops';
import { playGroup, type Report, type World } from './model/play';
import { startRelays } from './model/relays';
import { groupOf } from './model/steps';

/** Histories on each database. */
const HISTORIES = Number(process.env.HISTORIES ?? (isLong ? 5_000 : 100));

/** Histories that run at the same time. */
const TOGETHER = Math.min(HISTORIES, 50);

/** A long run prints its counts so often, because it may be interrupted. */
const GROUPS_BETWEEN_COUNTS = 10;

const { sandbox, control } = useSandbox();

describeOnEachDatabase('random histories of callers, faults, kills and people', (database) => {
	it(
		`never charge a key twice, and every response is true (${HISTORIES} histories)`,
		async () => {
			const relayCount = database().kind === 'folder' ? 1 : 2;
			const service = await startServiceHop(sandbox.url);
			const env = gatewayEnv(`${service.url}/api/v1`, { RELAY_SERVICE_TIMEOUT_SECONDS: '3' });
			const relays = await startRelays(database(), relayCount, env);
			const callers = await startCallerHop(async (relay) => (await relays.of(relay)).url);
			const world: World = { relays, entrance: callers, service, control };
			const groups = fc.sample(groupOf(TOGETHER), Math.ceil(HISTORIES / TOGETHER));
			const reports: Report[] = [];
			for (const [number, group] of groups.entries()) {
				const report = await playGroup(world, group, `${database().kind}-${number}`);
				reports.push(report);
				// A long run goes on, to find all problems.
				for (const problem of [...report.doubles, ...report.falseRows]) process.stdout.write(`${problem}\n`);
				if (reports.length % GROUPS_BETWEEN_COUNTS === 0 || reports.length === groups.length) {
					process.stdout.write(`${database().kind}: ${JSON.stringify(total(reports), null, '\t')}\n`);
				}
			}
			await relays.stop();
			await callers.close();
			await service.close();
			expect(reports.flatMap(({ doubles }) => doubles)).toEqual([]);
			expect(reports.flatMap(({ falseRows }) => falseRows)).toEqual([]);
		},
		isLong ? 7_200_000 : 300_000,
	);
});

/** The sums of all counts. */
function total(reports: readonly Report[]): Record<string, number> {
	const sums = new Map<string, number>();
	for (const [name, value] of reports.flatMap((report) => Object.entries(report))) {
		sums.set(name, (sums.get(name) ?? 0) + (typeof value === 'number' ? value : value.length));
	}
	return Object.fromEntries(sums);
}
