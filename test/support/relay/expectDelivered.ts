import { readEvent } from './api';
import type { Relay } from './relay';
import { startsPerEvent, type RelayWorkflow } from './relayWorkflow';

/**
 * Expects that n8n has an execution for each event, although one of its processes ended in between. n8n responds when it
 * has stored an execution. If the process that runs it ends earlier, n8n shows it as crashed, without the event.
 * @param events IDs of all events that the workflow has to receive
 * @returns how often each event started, among the executions that n8n could end
 */
export async function expectNoneLost(
	workflow: RelayWorkflow,
	relay: Relay,
	events: readonly string[],
): Promise<Map<string, number>> {
	const executions = await workflow.settled(relay);
	const starts = startsPerEvent(executions);
	const interrupted = executions.filter((execution) => execution.events.length === 0);
	expect(events.filter((id) => !starts.has(id)).length).toBeLessThanOrEqual(interrupted.length);
	expect(interrupted.filter(({ status }) => status === 'success')).toEqual([]);
	expect(starts.size).toBeGreaterThan(events.length / 2);
	return starts;
}

/**
 * Expects that an event started again only after an attempt that n8n did not accept. n8n stores an execution before it
 * responds. If it ends in between, in an orderly way or not, it responds 500 or nothing, and the relay repeats the event.
 * @param starts how often each event started
 */
export async function expectRepeatsNotAccepted(relay: Relay, starts: ReadonlyMap<string, number>): Promise<void> {
	for (const [id, count] of [...starts].filter(([, repeated]) => repeated !== 1)) {
		const { deliveries } = await readEvent(relay, id);
		const statuses = deliveries.flatMap((delivery) => delivery.tries.map((attempt) => attempt.status));
		expect(statuses.length).toBeGreaterThanOrEqual(count);
		expect(statuses.filter((status) => status === 200)).toHaveLength(1);
	}
}
