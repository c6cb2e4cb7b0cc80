import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod/v4';
import { eventually } from '../eventually';
import { subscribe } from './api';
import type { TestDatabase } from './databases';
import { startReceiver, type Receiver } from './receiver';
import { receipt } from './requests';
import type { RelayProcess } from './relayProcess';

/** The counts of a run with kills. */
export interface KillReport {
	readonly kills: number;
	/** Requests that the relay accepted. */
	readonly acknowledged: number;
	/** Requests that receivers accepted. */
	readonly deliveries: number;
	/** Acknowledged events that a receiver did not get. */
	readonly lost: number;
	/** Requests after an earlier one with the same event that the receiver accepted. */
	readonly repeated: number;
	/** The same, without a kill between the two. */
	readonly repeatedWithoutKill: number;
	/** Requests with an event that is before one that was posted already for the same message. */
	readonly outOfOrder: number;
	/** Events that had more than one ID. */
	readonly changedIds: number;
}

const STATUSES = ['submitted', 'sent', 'delivered'] as const;

/** Messages whose statuses are posted at the same time. */
const POSTERS = 6;

/** Milliseconds between two kills. */
const LEAST_MS = 400;
const MOST_MS = 2_000;

/** Each fifth event gets a 503 first. */
const FAILS_FIRST = 5;

/** The time in which a process was killed and not ready again, in milliseconds since 1970. */
interface Absence {
	readonly from: number;
	readonly to: number;
}

const postedEvent = z.object({
	id: z.string(),
	sequence: z.number(),
	data: z.object({ message_id: z.string(), status: z.string() }),
});

/**
 * Posts the statuses of many messages, in order, while relay processes are killed at random moments and started again.
 * Three receivers get all events: a good one, a slow one, and one that responds 503 to the first request of each fifth
 * event.
 * @param options `processes`: relays on the same database, killed in turn; the receivers are closed at the end
 */
export async function runWithKills(
	database: TestDatabase,
	{ kills, processes }: { readonly kills: number; readonly processes: number },
): Promise<KillReport> {
	const relays = await Promise.all(Array.from({ length: processes }, async () => await database.start()));
	const [good, slow, failing] = await Promise.all([startReceiver(), startReceiver(), startReceiver()]);
	slow.respond = async () => await sleep(50, 200);
	const failed = new Set<string>();
	failing.respond = ({ text }) => {
		const { id, sequence } = postedEvent.parse(JSON.parse(text));
		if (sequence % FAILS_FIRST !== 0 || failed.has(id)) return 200;
		failed.add(id);
		return 503;
	};
	const receivers = [good, slow, failing];
	for (const { url } of receivers) await subscribe(relays[0] ?? fail(), { url, types: ['message.status'] });

	const acknowledged = new Set<string>();
	const absences: Absence[] = [];
	let ended = false;
	const posters = Array.from({ length: POSTERS }, async (_, poster) => {
		for (let message = 0; !ended; message += 1) {
			const id = `message-${poster}-${message}`;
			for (const status of STATUSES) {
				await postUntilAccepted(relays, receipt(id, status));
				acknowledged.add(`${id} ${status}`);
			}
		}
	});
	for (let kill = 0; kill < kills; kill += 1) {
		await sleep(LEAST_MS + Math.random() * (MOST_MS - LEAST_MS));
		const place = kill % processes;
		const relay = relays[place] ?? fail();
		await relay.kill();
		const from = Date.now();
		relays[place] = await database.start({ port: Number(new URL(relay.url).port) });
		absences.push({ from, to: Date.now() });
	}
	ended = true;
	await Promise.all(posters);
	for (const receiver of receivers) await caughtUp(receiver, acknowledged);
	const reports = receivers.map((receiver) => judge(receiver, acknowledged, absences));
	const idsOf = Map.groupBy(
		receivers.flatMap(({ requests }) => requests.map(({ text }) => postedEvent.parse(JSON.parse(text)))),
		keyOf,
	);
	await Promise.all(receivers.map(async ({ close }) => await close()));
	const sum = (count: keyof (typeof reports)[number]) => reports.reduce((total, report) => total + report[count], 0);
	return {
		kills,
		acknowledged: acknowledged.size,
		deliveries: sum('deliveries'),
		lost: sum('lost'),
		repeated: sum('repeated'),
		repeatedWithoutKill: sum('repeatedWithoutKill'),
		outOfOrder: sum('outOfOrder'),
		changedIds: [...idsOf.values()].filter((events) => new Set(events.map(({ id }) => id)).size > 1).length,
	};
}

async function postUntilAccepted(relays: readonly RelayProcess[], body: object): Promise<void> {
	for (let attempt = Math.floor(Math.random() * relays.length); ; attempt += 1) {
		const accepted = await relays[attempt % relays.length]?.post(body).then(
			async (response) => {
				await response.text();
				return response.status === 200;
			},
			() => false,
		);
		if (accepted === true) return;
		await sleep(50);
	}
}

/** Waits until a receiver accepted all events, or no event arrived for a minute. */
async function caughtUp(receiver: Receiver, wanted: ReadonlySet<string>): Promise<void> {
	const missing = () => {
		const got = new Set(accepted(receiver).map(({ event }) => keyOf(event)));
		return [...wanted].filter((key) => !got.has(key)).length;
	};
	await eventually(
		'a receiver to catch up',
		() => {
			const last = receiver.requests.at(-1)?.at ?? 0;
			return missing() === 0 || Date.now() - last > 60_000 ? true : undefined;
		},
		300_000,
	);
}

function judge(receiver: Receiver, wanted: ReadonlySet<string>, absences: readonly Absence[]) {
	const all = accepted(receiver);
	const byKey = Map.groupBy(all, ({ event }) => keyOf(event));
	let repeated = 0;
	let repeatedWithoutKill = 0;
	for (const posts of byKey.values()) {
		for (const [index, { at }] of posts.entries()) {
			const before = posts[index - 1];
			if (!before) continue;
			repeated += 1;
			// A slow receiver accepts a request up to 50 ms after its sender was killed.
			if (!absences.some(({ from, to }) => to >= before.at && from <= at)) repeatedWithoutKill += 1;
		}
	}
	const reached = new Map<string, number>();
	let outOfOrder = 0;
	for (const { text } of receiver.requests) {
		const { sequence, data } = postedEvent.parse(JSON.parse(text));
		const highest = reached.get(data.message_id) ?? 0;
		if (sequence < highest) outOfOrder += 1;
		reached.set(data.message_id, Math.max(highest, sequence));
	}
	return {
		deliveries: all.length,
		lost: [...wanted].filter((key) => !byKey.has(key)).length,
		repeated,
		repeatedWithoutKill,
		outOfOrder,
	};
}

function accepted({ requests }: Receiver) {
	return requests
		.filter(({ status }) => status === 200)
		.map(({ text, at }) => ({ event: postedEvent.parse(JSON.parse(text)), at }));
}

function keyOf({ data: { message_id, status } }: z.output<typeof postedEvent>): string {
	return `${message_id} ${status}`;
}

function fail(): never {
	throw new Error('There is no relay');
}
