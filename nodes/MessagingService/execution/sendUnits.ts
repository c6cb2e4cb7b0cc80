import { mapCalls, ServiceError, type MakeCall, type MapOptions, type MapResult, type Outcome } from '../../../shared';
import type { PlannedSend } from './guards';
import type { Run } from './operation';
import { notReserved, reserve, type Candidate, type NotReserved, type Reservation } from './reservation';
import { showNothingSent } from './stop';

/**
 * What a run sends, in units: one call for an item, or one request of a bulk send. Units are planned in waves: the next
 * wave has units that wait for the outcome of others.
 */
export interface Sending<Unit, Output> {
	/** By item index; undefined for an item that sends nothing, or was sent earlier in this run. */
	readonly candidates: ReadonlyArray<Candidate | undefined>;
	/** The units of the planned wave. */
	readonly units: readonly Unit[];
	/** Makes the calls of a wave, for example {@link mapUnits}. */
	readonly map: MapUnits<Unit, Output>;
	/**
	 * Plans the next wave.
	 * @param maySend whether a candidate may be sent
	 * @returns the messages for the guards
	 */
	plan(maySend: (index: number) => boolean): readonly PlannedSend[];
	/**
	 * Receives the reservation before the first wave, or the reason why nothing new may be sent.
	 * @returns whether to go on if nothing new may be sent, because some outcomes are known or each item has a row
	 */
	begin(reservation: Reservation | NotReserved): boolean;
	/** The outcome that an earlier try of the run left; undefined if there is none. */
	earlier(unit: Unit): Promise<Outcome<Output>> | undefined;
	/**
	 * Why the call of a unit is not attempted; undefined if it is made.
	 * @param blocked why nothing new may be sent
	 */
	whyNot(unit: Unit, blocked: ServiceError | undefined): ServiceError | undefined;
	/** Returns the function that makes the call of a unit. */
	caller(): MakeCall<Unit, Output>;
	/** Describes the progress of a wave for the editor; undefined for a result that needs no message. */
	progress(done: number, total: number): string | undefined;
	/**
	 * Receives the results of a wave.
	 * @returns whether another wave follows
	 */
	record(results: ReadonlyArray<MapResult<Unit, Output>>): boolean | Promise<boolean>;
	/** The messages that were certainly not accepted since the last call of this method. */
	unsent(): readonly PlannedSend[];
	/** The outcomes of the candidates, by index; undefined if nothing was sent. */
	outcomes(): ReadonlyArray<Outcome<unknown> | undefined>;
}

/** Makes one call or several calls for each unit. */
type MapUnits<Unit, Output> = (
	call: MakeCall<Unit, Output>,
	units: readonly Unit[],
	options: MapOptions,
) => AsyncIterable<MapResult<Unit, Output>>;

/**
 * Sends all units of a run: reserves their Send Once Keys and guards, makes the calls wave by wave, and gives back
 * whatever was certainly not accepted. Nothing is sent before all candidates are reserved.
 * @returns undefined; the error if nothing may be sent and the run does not go on
 */
export async function sendUnits<Unit, Output>(
	run: Run,
	sending: Sending<Unit, Output>,
): Promise<ServiceError | undefined> {
	const { client } = run;
	let planned = false;
	const plan = (maySend: (index: number) => boolean) => {
		planned = true;
		return sending.plan(maySend);
	};
	const reservation =
		client instanceof ServiceError ? notReserved(client) : await reserve(run, sending.candidates, plan);
	let blocked = reservation.error;
	if (!sending.begin(reservation) && blocked) return blocked;
	if (!planned) plan(() => true);
	if (blocked && sending.candidates.some((one) => one !== undefined)) {
		showNothingSent(
			run,
			blocked,
			sending.units.some((unit) => sending.earlier(unit) !== undefined),
		);
	}
	while (await sending.record(await sendWave(run, sending, blocked))) {
		const unsent = sending.unsent();
		const messages = sending.plan(() => true);
		if (reservation.error === undefined) blocked = await reservation.reserveMore(unsent, messages);
	}
	if (reservation.error !== undefined) return undefined;
	// The guards did not count a wave that they blocked.
	await reservation.settle(sending.outcomes(), blocked ? [] : sending.unsent());
	return undefined;
}

/** One call for each unit. Units that share a name are sent one after the other. */
export function mapUnits<Unit extends { readonly names: readonly string[] }, Output>(
	call: MakeCall<Unit, Output>,
	units: readonly Unit[],
	options: MapOptions,
): AsyncIterable<MapResult<Unit, Output>> {
	return mapCalls(call, units, ({ names }) => names, options);
}

async function sendWave<Unit, Output>(
	{ context, parallel, stops }: Run,
	sending: Sending<Unit, Output>,
	blocked: ServiceError | undefined,
): Promise<Array<MapResult<Unit, Output>>> {
	const { units } = sending;
	const results: Array<MapResult<Unit, Output>> = [];
	// Known outcomes are left out of the calls, so that they stay the same however the run ends.
	const waiting = units.map((input) => ({ input, earlier: sending.earlier(input) }));
	for (const { input, earlier } of waiting) {
		if (earlier) results.push({ index: results.length, input, ...(await earlier) });
	}
	const left: Unit[] = [];
	for (const { input, earlier } of waiting) {
		if (earlier) continue;
		const reason = sending.whyNot(input, blocked);
		if (reason) results.push({ index: results.length, input, outcome: 'not_attempted', reason });
		else left.push(input);
	}
	const failed = stops ? results.find(({ outcome }) => outcome === 'unknown') : undefined;
	if (failed && 'error' in failed) {
		const reason = failed.error;
		return [...results, ...left.map((input, index) => ({ index, input, outcome: 'not_attempted' as const, reason }))];
	}
	const options = { concurrency: parallel, signal: context.getExecutionCancelSignal(), stopOnFailure: stops };
	for await (const result of sending.map(sending.caller(), left, options)) {
		results.push(result);
		const message = sending.progress(results.length, units.length);
		if (message !== undefined) context.sendMessageToUI(message);
	}
	return results;
}
