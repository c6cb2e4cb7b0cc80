import type { MakeCall, MapOptions, MapResult, Outcome, ServiceError } from '../../../shared';
import type { Run } from './operation';

/** How the units of a run are sent: one call for an item, or one request of a bulk send. */
export interface Sending<Unit, Output> {
	/** The outcome of a unit that makes no call now: an earlier try made it, or it cannot be made. */
	earlier(unit: Unit): Promise<Outcome<Output>> | undefined;
	/** Why the call of a unit is not attempted; undefined if it is made. */
	whyNot(unit: Unit): ServiceError | undefined;
	readonly call: MakeCall<Unit, Output>;
	/** Makes one call or several calls for each unit. */
	map(
		call: MakeCall<Unit, Output>,
		units: readonly Unit[],
		options: MapOptions,
	): AsyncIterable<MapResult<Unit, Output>>;
	/** Describes the progress for the editor; undefined for a result that needs no message. */
	progress(done: number, total: number): string | undefined;
}

/** Makes the calls of all units, several at a time. Returns a result for each unit, in any order. */
export async function sendUnits<Unit, Output>(
	{ context, parallel, stops }: Run,
	units: readonly Unit[],
	sending: Sending<Unit, Output>,
): Promise<Array<MapResult<Unit, Output>>> {
	const results: Array<MapResult<Unit, Output>> = [];
	// Known outcomes are left out of the calls, so that they stay the same however the run ends.
	const waiting = units.map((input) => ({ input, earlier: sending.earlier(input) }));
	for (const { input, earlier } of waiting) {
		if (earlier) results.push({ index: results.length, input, ...(await earlier) });
	}
	const left: Unit[] = [];
	for (const { input, earlier } of waiting) {
		if (earlier) continue;
		const reason = sending.whyNot(input);
		if (reason) results.push({ index: results.length, input, outcome: 'not_attempted', reason });
		else left.push(input);
	}
	const failed = stops ? results.find(({ outcome }) => outcome === 'unknown') : undefined;
	if (failed && 'error' in failed) {
		const reason = failed.error;
		return [...results, ...left.map((input, index) => ({ index, input, outcome: 'not_attempted' as const, reason }))];
	}
	const options = { concurrency: parallel, signal: context.getExecutionCancelSignal(), stopOnFailure: stops };
	for await (const result of sending.map(sending.call, left, options)) {
		results.push(result);
		const message = sending.progress(results.length, units.length);
		if (message !== undefined) context.sendMessageToUI(message);
	}
	return results;
}
