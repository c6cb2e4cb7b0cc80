import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod/v4';
import type { Role } from '../../../relay/settings';
import { eventually } from '../eventually';
import { subscribe } from './api';
import type { TestDatabase } from './databases';
import { judgeKills, missing, type Arrival, type KillReport, type PostedEvent, type Subscriber } from './killReport';
import { startReceiver, type ReceivedRequest, type Receiver } from './receiver';
import type { RelayProcess } from './relayProcess';
import { inbound, receipt } from './requests';

const STATUSES = ['submitted', 'sent', 'delivered'] as const;

/** Messages whose statuses are posted at the same time. */
const POSTERS = 6;

/** Longest pause of a poster between two messages, in milliseconds. */
const MOST_PAUSE_MS = 500;

/** Acknowledged events between the moment when all processes are ready and the next kill. */
const LEAST_EVENTS = 20;
const MOST_EVENTS = 120;

/** Each fifth event gets a 503 first. */
const FAILS_FIRST = 5;

/** Each tenth message of a poster also has a late receipt, and a STOP of its own. */
const EXTRAS_EVERY = 10;

/** A receiver that is away and comes back: what it does in turn, and for how long, in milliseconds. */
const MOODS = [
	{ mood: 'works', ms: 15_000 },
	{ mood: 'fails', ms: 5_000 },
	{ mood: 'works', ms: 15_000 },
	{ mood: 'hangs', ms: 5_000 },
] as const;

/** No receiver waits longer for its next retry, after a few failed attempts, in milliseconds. */
const QUIET_MS = 150_000;

const delivered = z.object({
	id: z.string(),
	data: z.union([z.object({ message_id: z.string(), status: z.string() }), z.object({ from: z.string() })]),
});
const forwarded = z.object({ From: z.string() });
const acknowledgement = z.object({ id: z.string().nullable(), duplicate: z.boolean() });

/** A process of the run. */
interface Member {
	readonly role: Role;
	relay: RelayProcess;
}

/**
 * Posts the statuses of many messages in order, and opt-outs, while relay processes are killed at random moments and
 * started again. Five receivers get them: one that works, a slow one, one that responds 503 to the first request of each
 * fifth event, one with a filter, and one that fails, hangs and comes back. The service gets the opt-outs.
 * @param options `roles`: of the processes on the same database. Each kill hits one of them
 */
export async function runWithKills(
	database: TestDatabase,
	{ kills, roles }: { readonly kills: number; readonly roles: readonly Role[] },
): Promise<KillReport> {
	const { subscribers, service, subscriptions, comeBack } = await startReceivers();
	const settings = { quick: true, env: { RELAY_SERVICE_URL: new URL('/api/v1', service.receiver.url).href } };
	const members: Member[] = await Promise.all(
		roles.map(async (role) => ({ role, relay: await database.startProcess({ ...settings, role }) })),
	);
	const entrances = () => members.filter(({ role }) => role !== 'worker').map(({ relay }) => relay);
	for (const subscription of subscriptions) await subscribe(entrances()[0] ?? fail(), subscription);

	const posted: PostedEvent[] = [];
	const acknowledgedIds = new Map<string, string>();
	let ended = false;
	async function post(body: object, event: PostedEvent): Promise<void> {
		const { id, duplicate } = await postUntilAccepted(entrances, body);
		posted.push(event);
		if (id !== null && !duplicate) acknowledgedIds.set(event.key, id);
	}
	const posters = Array.from({ length: POSTERS }, async (_, poster) => {
		for (let count = 0; !ended; count += 1) {
			await sleep(Math.random() * MOST_PAUSE_MS);
			const hasExtras = count % EXTRAS_EVERY === 0;
			const message = `message-${poster}-${count}`;
			// The first status of some messages arrives last, so it is late.
			for (const status of hasExtras ? [...STATUSES.slice(1), STATUSES[0]] : STATUSES) {
				await post(receipt(message, status), receiptEvent(message, status, hasExtras && status === STATUSES[0]));
			}
			const from = `+2332${poster}${String(count).padStart(7, '0')}`;
			if (hasExtras) await post(inbound({ from, message: 'STOP' }), stopEvent(from));
		}
	});

	const killedAt: number[] = [];
	while (killedAt.length < kills) {
		const wanted = posted.length + LEAST_EVENTS + Math.random() * (MOST_EVENTS - LEAST_EVENTS);
		await eventually('events between two kills', () => (posted.length >= wanted ? true : undefined), 60_000);
		const member = members[Math.floor(Math.random() * members.length)] ?? fail();
		killedAt.push(Date.now());
		await member.relay.kill();
		const port = Number(new URL(member.relay.url).port);
		member.relay = await database.startProcess({ ...settings, role: member.role, port });
	}
	ended = true;
	await Promise.all(posters);
	comeBack();
	const everyone = [...subscribers, service];
	for (const one of everyone) await caughtUp(one, posted);
	const report = judgeKills({ kills: killedAt, posted, acknowledgedIds, subscribers, service });
	await Promise.all(everyone.map(async ({ receiver }) => await receiver.close()));
	return report;
}

/** A subscriber with its receiver. */
type Receiving = Subscriber & { readonly receiver: Receiver };

/** Starts the receivers. `comeBack` ends the absence of the last one for good. */
async function startReceivers() {
	const receivers = await Promise.all(Array.from({ length: 6 }, async () => await startReceiver()));
	const [works, slow, failing, filtered, away, service] = receivers;
	if (!works || !slow || !failing || !filtered || !away || !service) return fail();
	slow.respond = async () => await sleep(Math.random() * 100, 200);
	failing.respond = failsFirst();
	const { respond, comeBack } = changesMood();
	away.respond = respond;
	const types = ['message.status'];
	const isReceipt = ({ status }: PostedEvent) => status !== undefined;
	return {
		subscribers: [
			receiving('works', works, () => true),
			receiving('slow', slow, isReceipt),
			receiving('failing', failing, isReceipt),
			receiving('filtered', filtered, ({ status }) => status === 'delivered'),
			receiving('away', away, isReceipt),
		],
		subscriptions: [
			{ url: works.url, types: [...types, 'sms.inbound'] },
			{ url: slow.url, types },
			{ url: failing.url, types },
			{ url: filtered.url, types, filter: { statuses: ['delivered'] } },
			{ url: away.url, types },
		],
		service: receiving('service', service, (event) => !isReceipt(event)),
		comeBack,
	};
}

function failsFirst(): Receiver['respond'] {
	const failed = new Set<string>();
	let fresh = 0;
	return ({ text }) => {
		const { id } = delivered.parse(JSON.parse(text));
		if (failed.has(id)) return 200;
		fresh += 1;
		if (fresh % FAILS_FIRST !== 0) return 200;
		failed.add(id);
		return 503;
	};
}

function changesMood(): { respond: Receiver['respond']; comeBack: () => void } {
	const began = Date.now();
	const period = MOODS.reduce((total, { ms }) => total + ms, 0);
	let isBack = false;
	return {
		respond: () => {
			let place = (Date.now() - began) % period;
			const now = MOODS.find(({ ms }) => (place -= ms) < 0)?.mood;
			if (isBack || now === 'works') return 200;
			return now === 'hangs' ? 'hang' : 503;
		},
		comeBack: () => (isBack = true),
	};
}

/** Each request is parsed once, although a run reads the arrivals again and again. */
function receiving(name: string, receiver: Receiver, wants: Subscriber['wants']): Receiving {
	const parsed = new Map<ReceivedRequest, Omit<Arrival, 'at' | 'status'>>();
	return {
		name,
		receiver,
		wants,
		get arrivals() {
			return receiver.requests.map((request) => {
				const known = parsed.get(request) ?? parseRequest(request);
				parsed.set(request, known);
				return { ...known, at: request.at, status: request.status };
			});
		},
	};
}

function parseRequest({ text, headers }: ReceivedRequest): Omit<Arrival, 'at' | 'status'> {
	const body: unknown = JSON.parse(text);
	const toService = forwarded.safeParse(body);
	if (toService.success) return { ...stopEvent(toService.data.From), ids: [] };
	const { id, data } = delivered.parse(body);
	const event = 'from' in data ? stopEvent(data.from) : receiptEvent(data.message_id, data.status);
	return { ...event, ids: [id, String(headers['webhook-id'])] };
}

function receiptEvent(message: string, status: string, late = false): PostedEvent {
	const rank = STATUSES.findIndex((one) => one === status);
	return { key: `${message} ${status}`, message, rank, status, late };
}

function stopEvent(from: string): PostedEvent {
	return { key: `STOP ${from}`, message: from, rank: 0, late: false };
}

async function postUntilAccepted(
	entrances: () => readonly RelayProcess[],
	body: object,
): Promise<z.output<typeof acknowledgement>> {
	for (let attempt = Math.floor(Math.random() * entrances().length); ; attempt += 1) {
		const relays = entrances();
		const accepted = await relays[attempt % relays.length]?.post(body).then(
			async (response) => {
				const text = await response.text();
				return response.status === 200 ? acknowledgement.parse(JSON.parse(text)) : undefined;
			},
			() => undefined,
		);
		if (accepted) return accepted;
		await sleep(50);
	}
}

/** Waits until a receiver accepted all its events, or none arrived for longer than the next retry may take. */
async function caughtUp(subscriber: Receiving, posted: readonly PostedEvent[]): Promise<void> {
	const began = Date.now();
	await eventually(
		`the receiver ${subscriber.name} to catch up`,
		async () => {
			const last = Math.max(began, subscriber.receiver.requests.at(-1)?.at ?? 0);
			if (missing(subscriber, posted).length === 0 || Date.now() - last > QUIET_MS) return true;
			await sleep(500);
			return undefined;
		},
		900_000,
	);
}

function fail(): never {
	throw new Error('There is no relay');
}
