/** An event that was posted in a run with kills. */
export interface PostedEvent {
	/** Unique. */
	readonly key: string;
	/** Events of the same message have an order. */
	readonly message: string;
	/** The place in that order. */
	readonly rank: number;
	/** The status of a receipt. Absent: an opt-out. */
	readonly status?: string;
	/** Its message has a later status already, so it is logged and not delivered. */
	readonly late: boolean;
}

/** A request that a receiver got. */
export interface Arrival extends Pick<PostedEvent, 'key' | 'message' | 'rank'> {
	/** IDs of the event in the request. None at the service, which gets its own format. */
	readonly ids: readonly string[];
	/** In milliseconds since 1970. */
	readonly at: number;
	/** The status of the response; 0 if there was none. */
	readonly status: number;
}

/** A receiver with the events that it has to get. */
export interface Subscriber {
	readonly name: string;
	readonly wants: (event: PostedEvent) => boolean;
	readonly arrivals: readonly Arrival[];
}

/** The counts of a run with kills. */
export interface KillReport {
	readonly kills: number;
	/** Events that the relay accepted, without late ones. */
	readonly acknowledged: number;
	/** Receipts that were behind their message when the relay accepted them. */
	readonly late: number;
	/** Opt-outs that the service accepted. */
	readonly forwardedStops: number;
	/** Requests that receivers accepted. */
	readonly deliveries: number;
	/** Requests that receivers rejected. */
	readonly rejected: number;
	/** Requests that receivers did not respond to, also because their sender was killed. */
	readonly unanswered: number;
	/** Acknowledged events that a receiver did not accept. */
	readonly lost: number;
	/** Requests after an earlier one with the same event that the receiver accepted. */
	readonly repeated: number;
	/** The same, if no process was killed soon after the receiver had accepted the earlier one. */
	readonly repeatedWithoutKill: number;
	/** Requests with an event that is before one that was posted already for the same message. */
	readonly outOfOrder: number;
	/** Events that had more than one ID. */
	readonly changedIds: number;
	/** Requests with a late event, or with one that does not pass the filter. */
	readonly unwanted: number;
	/**
	 * What a receiver got of each message that was out of order, or repeated without a kill, with the times of the last
	 * kills, to find the cause.
	 */
	readonly traces: readonly string[];
}

/** The result of a delivery is on disk this long after the response, in milliseconds, also if other tests use all cores. */
const RECORDED_WITHIN_MS = 10_000;

/**
 * A receiver accepts a request this long after its sender was killed, in milliseconds. A slow one takes 200, and the
 * process of the test may be busy.
 */
const ACCEPTED_LATE_MS = 1_000;

/** The kills that a trace shows, in milliseconds. */
const TRACED_MS = 60_000;

/** The run that {@link judgeKills} judges. */
export interface KillRun {
	/** When processes were killed, in milliseconds since 1970. */
	readonly kills: readonly number[];
	readonly posted: readonly PostedEvent[];
	/** The ID of each event that was not acknowledged as a duplicate, by its key. */
	readonly acknowledgedIds: ReadonlyMap<string, string>;
	readonly subscribers: readonly Subscriber[];
	/** The service, which gets opt-outs. */
	readonly service: Subscriber;
}

/** Counts whatever went wrong in a run with kills. */
export function judgeKills({ kills, posted, acknowledgedIds, subscribers, service }: KillRun): KillReport {
	const everyone = [...subscribers, service];
	const arrivals = everyone.flatMap((subscriber) => subscriber.arrivals);
	const byKey = new Map(posted.map((event) => [event.key, event]));
	const repeats = everyone.flatMap((subscriber) => repeatsOf(subscriber).map((repeat) => ({ subscriber, ...repeat })));
	const unexplained = repeats.filter(({ accepted }) => !wasKilledAfter(accepted.at, kills));
	return {
		kills: kills.length,
		acknowledged: posted.filter(({ late }) => !late).length,
		late: posted.filter(({ late }) => late).length,
		forwardedStops: new Set(service.arrivals.filter(isAccepted).map(({ key }) => key)).size,
		deliveries: arrivals.filter(isAccepted).length,
		rejected: arrivals.filter(({ status }) => status >= 300).length,
		unanswered: arrivals.filter(({ status }) => status === 0).length,
		lost: count(everyone, (subscriber) => missing(subscriber, posted).length),
		repeated: repeats.length,
		repeatedWithoutKill: unexplained.length,
		outOfOrder: count(everyone, (subscriber) => disordered(subscriber).length),
		changedIds: countChangedIds(arrivals, acknowledgedIds),
		unwanted: count(everyone, ({ arrivals: got, wants }) => {
			return got.filter(({ key }) => {
				const event = byKey.get(key);
				return event === undefined || event.late || !wants(event);
			}).length;
		}),
		traces: [
			...everyone.flatMap((subscriber) => disordered(subscriber).map((one) => trace(subscriber, one, kills))),
			...unexplained.map(({ subscriber, repeated }) => trace(subscriber, repeated, kills)),
		],
	};
}

function trace({ name, arrivals }: Subscriber, request: Arrival, kills: readonly number[]): string {
	const seconds = (at: number) => ((at - request.at) / 1_000).toFixed(2);
	const got = arrivals
		.filter(({ message }) => message === request.message)
		.map(({ key, status, at }) => `${key} ${status} at ${seconds(at)} s`);
	const before = kills.filter((at) => Math.abs(at - request.at) < TRACED_MS).map((at) => `${seconds(at)} s`);
	return `${name}: ${got.join(', ')}. Kills: ${before.join(', ')}`;
}

/** The events that a receiver has to get and did not accept. */
export function missing({ arrivals, wants }: Subscriber, posted: readonly PostedEvent[]): PostedEvent[] {
	const got = new Set(arrivals.filter(isAccepted).map(({ key }) => key));
	return posted.filter((event) => !event.late && wants(event) && !got.has(event.key));
}

/** The report as a table for people. */
export function formatKills(title: string, report: KillReport): string {
	const rows: ReadonlyArray<readonly [string, number]> = [
		['kills', report.kills],
		['events acknowledged', report.acknowledged],
		['late receipts, logged only', report.late],
		['STOP forwarded', report.forwardedStops],
		['deliveries', report.deliveries],
		['requests rejected by receivers', report.rejected],
		['requests without a response', report.unanswered],
		['lost', report.lost],
		['repeated after a kill', report.repeated - report.repeatedWithoutKill],
		['repeated without a kill', report.repeatedWithoutKill],
		['out of order', report.outOfOrder],
		['with a changed ID', report.changedIds],
		['unwanted', report.unwanted],
	];
	const lines = rows.map(([name, value]) => `  ${name.padEnd(32)}${String(value).padStart(8)}\n`);
	const traces = report.traces.map((one) => `  ${one}\n`);
	return `\nKill report: ${title}\n${[...lines, ...traces].join('')}\n`;
}

/** The repeated requests, each with the earlier one that the receiver accepted. */
function repeatsOf({ arrivals }: Subscriber): Array<{ readonly accepted: Arrival; readonly repeated: Arrival }> {
	const acceptedOf = new Map<string, Arrival>();
	const repeats: Array<{ readonly accepted: Arrival; readonly repeated: Arrival }> = [];
	for (const arrival of arrivals) {
		const accepted = acceptedOf.get(arrival.key);
		if (accepted) repeats.push({ accepted, repeated: arrival });
		if (isAccepted(arrival)) acceptedOf.set(arrival.key, arrival);
	}
	return repeats;
}

function wasKilledAfter(accepted: number, kills: readonly number[]): boolean {
	return kills.some((kill) => kill >= accepted - ACCEPTED_LATE_MS && kill <= accepted + RECORDED_WITHIN_MS);
}

/** The requests that arrived after one with a later status of their message. */
function disordered({ arrivals }: Subscriber): Arrival[] {
	const reached = new Map<string, number>();
	return arrivals.filter(({ message, rank }) => {
		const highest = reached.get(message) ?? 0;
		reached.set(message, Math.max(highest, rank));
		return rank < highest;
	});
}

function countChangedIds(arrivals: readonly Arrival[], acknowledgedIds: ReadonlyMap<string, string>): number {
	const ids = new Map([...acknowledgedIds].map(([key, id]) => [key, new Set([id])]));
	for (const arrival of arrivals) {
		const known = ids.get(arrival.key) ?? new Set();
		for (const id of arrival.ids) known.add(id);
		ids.set(arrival.key, known);
	}
	return [...ids.values()].filter(({ size }) => size > 1).length;
}

function isAccepted({ status }: Arrival): boolean {
	return status === 200;
}

function count<Item>(items: readonly Item[], countOne: (item: Item) => number): number {
	return items.reduce((total, item) => total + countOne(item), 0);
}
