import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod/v4';
import { sendListSchema, type Send } from '../../../../relay/sends/schema';
import { eventually } from '../../../support/eventually';
import type { Relay } from '../../../support/relay/relay';
import type { sandboxControl } from '../../../support/sandboxControl';
import { callThrough, sms, type GatewayResponse } from '../../../support/relay/gateway';
import { ATTEMPT_HEADER, attemptHeader, type CallerHop, type ServiceHop } from './hops';
import { claimOf, judge, type Charge, type ModelKey, type Heard, type Verdict } from './judge';
import type { Relays } from './relays';
import {
	AGING_FROM,
	KEYS,
	MAX_AGE_SECONDS,
	REJECTED_WORDS,
	type Attempt,
	type Call,
	type Event,
	type Group,
	type Step,
} from './steps';

/** The programs of a run. */
export interface World {
	readonly relays: Relays;
	readonly entrance: CallerHop;
	readonly service: Pick<ServiceHop, 'charged'>;
	readonly control: ReturnType<typeof sandboxControl>;
}

/** Counts of a run, and all that was wrong. */
export interface Report extends Record<string, number | readonly string[]> {
	readonly histories: number;
	readonly calls: number;
	readonly attempts: number;
	/** Connections that were lost between a caller and the relay. */
	readonly lost: number;
	readonly kills: number;
	readonly charges: number;
	readonly accepted: number;
	readonly replayed: number;
	readonly rejected: number;
	readonly unknown: number;
	/** Unknown sends that a person settled. */
	readonly settled: number;
	readonly doubles: readonly string[];
	readonly falseRows: readonly string[];
}

/** Milliseconds that a caller waits before it repeats a call that is in flight elsewhere. */
const AGAIN_MS = 50;

/** Attempts at the end, when nothing is killed any more. */
const MOST_LAST_ATTEMPTS = 5;

/** An attempt that meets no fault. */
const PLAIN: Attempt = { service: 'none', caller: 'none', relay: 0, leavesMs: 0 };

const charges = z.array(z.object({ message_id: z.string(), to: z.string(), message: z.string() }));

/** Plays a group of histories, and compares its end with the ledger of the sandbox. @param name unique in the run */
export async function playGroup(world: World, group: Group, name: string): Promise<Report> {
	const { relays, entrance, service, control } = world;
	await control.reset();
	await control.settings({ requests_per_second: 1_000_000 });
	await control.adjustWallet(100_000);
	const players = group.histories.map((steps, index) => new Player(world, `${name}-${index}`, index, steps));
	const aging = players.flatMap(({ keys }) => keys.slice(AGING_FROM));
	await Promise.all([playEvents(world, group.events, aging), ...players.map(async (player) => await player.play())]);
	await control.ask('DELETE', 'faults');
	await entrance.released();
	await eventually('no call to be in flight', async () =>
		(await listAll(await relays.of(0), 'in_flight')).length === 0 ? true : undefined,
	);
	await Promise.all(players.map(async (player) => await player.askAgain()));

	const left = await listAll(await relays.of(0), 'unknown');
	const keys = players.flatMap((player) => player.keys);
	const heard = players.flatMap((player) => player.heard);
	const ledger = await readLedger(control);
	const unknown = left.map(({ to }) => to ?? '');
	const verdict = judge({ keys, heard, charges: ledger, charged: service.charged, unknown });
	for (const { id } of left) await settleOne(await relays.of(0), id, 'arrived');
	return count(group, players, ledger, verdict);
}

function count({ histories, events }: Group, players: readonly Player[], ledger: readonly Charge[], verdict: Verdict) {
	const heard = players.flatMap((player) => player.heard).filter(({ isLast }) => !isLast);
	const claims = heard.flatMap((one) => one.keys.map((key) => claimOf(one, key)));
	const of = (wanted: string) => claims.filter(({ outcome }) => outcome === wanted).length;
	const sum = (read: (player: Player) => number) => players.reduce((total, player) => total + read(player), 0);
	return {
		histories: histories.length,
		calls: sum(({ calls }) => calls),
		attempts: sum(({ attempts }) => attempts),
		lost: sum(({ lost }) => lost),
		kills: events.filter(({ kind }) => kind === 'kill').length,
		charges: ledger.length,
		accepted: of('accepted'),
		replayed: claims.filter((claim) => claim.outcome === 'accepted' && claim.isReplay).length,
		rejected: of('rejected'),
		unknown: of('unknown'),
		settled: sum(({ settled }) => settled),
		...verdict,
	};
}

/** @param aging the keys with a maximum age */
async function playEvents(
	{ relays, control }: World,
	events: readonly Event[],
	aging: readonly ModelKey[],
): Promise<void> {
	for (const event of events) {
		await delay(event.waitMs);
		// The clock of a relay is that of its embedded database.
		const isLater = event.kind === 'age' || (event.kind === 'clock' && event.ms > 0);
		if (isLater) for (const key of aging) key.agings += 1;
		if (event.kind === 'fault') await control.fault(event.fault);
		else if (event.kind === 'kill') await relays.end(event.relay, event.isOrderly);
		else if (event.kind === 'clock') await relays.moveClock(event.relay, event.ms);
		else if (event.kind === 'age') await relays.age(2 * MAX_AGE_SECONDS);
		else await relays.jump();
	}
}

/** The callers and the person of one history. */
class Player {
	readonly keys: readonly ModelKey[];
	readonly heard: Heard[] = [];
	calls = 0;
	attempts = 0;
	lost = 0;
	settled = 0;
	readonly #world: World;
	readonly #name: string;
	readonly #steps: readonly Step[];

	constructor(world: World, name: string, index: number, steps: readonly Step[]) {
		this.#world = world;
		this.#name = name;
		this.#steps = steps;
		this.keys = Array.from({ length: KEYS }, (_, key) => ({
			key: `${name}-${key}`,
			to: `+233201${String(index * KEYS + key).padStart(6, '0')}`,
			trace: [],
			sentAgain: 0,
			arrived: false,
			agings: 0,
		}));
	}

	async play(): Promise<void> {
		for (const step of this.#steps) {
			if (step.kind === 'settle') await this.#settle(step.outcome);
			else await Promise.all(step.calls.map(async (call) => await this.#call(call)));
		}
	}

	/** Asks once more for all that was sent, one call after the other and without faults. */
	async askAgain(): Promise<void> {
		const calls = this.#steps.flatMap((step) => (step.kind === 'calls' ? step.calls : []));
		const asked = new Set<string>();
		for (const { kind, words, keys } of calls) {
			for (const key of keys) {
				const call: Call = { kind, words, keys: [key], attempts: [PLAIN] };
				const name = JSON.stringify(call);
				if (!asked.has(name)) await this.#askOnce(call, `${this.#name} last ${asked.size}`);
				asked.add(name);
			}
		}
	}

	/** Repeats a call whose connection was lost. One that stayed open since before a kill is lost with its next request. */
	async #askOnce(call: Call, id: string): Promise<void> {
		for (let attempt = 1; attempt <= MOST_LAST_ATTEMPTS; attempt += 1) {
			if (await this.#attempt(call, PLAIN, [id], true)) return;
		}
		throw new Error(`${id} got no response, although no relay was away`);
	}

	/** Repeats a call while its outcome is open, as long as its caller has patience. */
	async #call(call: Call): Promise<void> {
		this.calls += 1;
		const ids: string[] = [];
		for (const attempt of call.attempts) {
			this.attempts += 1;
			ids.push(`${this.#name} ${this.attempts}`);
			const response = await this.#attempt(call, attempt, [...ids], false);
			if (response === undefined) this.lost += 1;
			else if (response.status !== 409 && response.outcome !== null) return;
			else await delay(AGAIN_MS);
		}
	}

	/** @returns undefined if the connection was lost */
	async #attempt(
		{ kind, keys: places, words }: Call,
		attempt: Attempt,
		attempts: readonly string[],
		isLast: boolean,
	): Promise<GatewayResponse | undefined> {
		const keys = places.map((place) => this.keys[place] ?? fail());
		const message = `${this.#name} words ${words}`;
		const id = attempts.at(-1) ?? '';
		const call = attempts[0]?.replaceAll(' ', '-');
		const headers = {
			[ATTEMPT_HEADER]: attemptHeader(id, attempt),
			'relay-attempt': `${attempts.length};call="${call}"`,
			...(places.some((place) => place >= AGING_FROM) && { 'relay-key-max-age': String(MAX_AGE_SECONDS) }),
		};
		const common = { ...sms(message), ...(words === REJECTED_WORDS && { sender_id: 'UNKNOWN' }) };
		const note = (text: string) => {
			for (const { trace } of keys) trace.push(`  ${Math.round(performance.now())} ms ${id} ${text}`);
		};
		note(`${kind} words ${words}, service: ${attempt.service}, caller: ${attempt.caller} ${attempt.leavesMs}`);
		const response = await this.#send(kind, keys, common, headers);
		note(response ? `${response.status} ${response.outcome} ${response.isReplay} ${response.text}` : 'lost');
		if (response) this.heard.push({ kind, keys, message, attempts, response, isLast });
		return response;
	}

	async #send(
		kind: Call['kind'],
		keys: readonly ModelKey[],
		common: object,
		headers: Readonly<Record<string, string>>,
	): Promise<GatewayResponse | undefined> {
		const relay = this.#world.entrance;
		const [only = fail()] = keys;
		const to = keys.map((key) => key.to);
		const bulk = { ...common, to, idempotency_keys: keys.map(({ key }) => key) };
		try {
			return kind === 'single'
				? await callThrough(relay, 'POST', '/sms/send', { ...common, to: only.to }, { key: only.key, headers })
				: await callThrough(relay, 'POST', '/sms/bulk', bulk, { headers });
		} catch (error) {
			if (isConnectionError(error)) return undefined;
			throw error;
		}
	}

	/** A person settles the unknown sends of this history. The connection may be lost, so the decision may have been made. */
	async #settle(outcome: 'arrived' | 'send_again'): Promise<void> {
		const relay = await this.#world.relays.of(0);
		for (const { id, to } of await orLost(listAll(relay, 'unknown'), [])) {
			const key = this.keys.find((one) => one.to === to);
			if (!key) continue;
			const isDone = await orLost(settleOne(relay, id, outcome), true);
			if (!isDone) continue;
			this.settled += 1;
			key.trace.push(`  ${Math.round(performance.now())} ms a person: ${outcome}`);
			if (outcome === 'arrived') key.arrived = true;
			else key.sentAgain += 1;
		}
	}
}

async function orLost<Result>(work: Promise<Result>, lost: Result): Promise<Result> {
	try {
		return await work;
	} catch (error) {
		if (isConnectionError(error)) return lost;
		throw error;
	}
}

/** @returns whether it was unknown until now */
async function settleOne(relay: Relay, id: string, outcome: 'arrived' | 'send_again'): Promise<boolean> {
	const { status } = await relay.api('POST', `/v1/sends/${id}/settle`, { outcome });
	if (status !== 200 && status !== 404 && status !== 409) throw new Error(`Settling a send got ${status}`);
	return status === 200;
}

const MOST_IN_PAGE = 100;

async function listAll(relay: Relay, state: 'unknown' | 'in_flight'): Promise<Send[]> {
	const all: Send[] = [];
	for (;;) {
		const last = all.at(-1);
		const before = last === undefined ? '' : `&before=${last.id}`;
		const response = await relay.api('GET', `/v1/sends?state=${state}&limit=${MOST_IN_PAGE}${before}`);
		// A send of the last page may be settled by now.
		if (response.status === 422) return all;
		const { data, has_more } = sendListSchema.parse(await response.json());
		all.push(...data);
		if (!has_more) return all;
	}
}

async function readLedger(control: World['control']): Promise<Charge[]> {
	const all: Charge[] = [];
	for (;;) {
		const page = charges.parse(await control.ask('GET', `messages?limit=1000&offset=${all.length}`));
		all.push(...page);
		if (page.length < 1_000) return all;
	}
}

/** The error of fetch, which may come from another realm. */
function isConnectionError(error: unknown): boolean {
	if (typeof error !== 'object' || error === null || !('message' in error)) return false;
	return error.message === 'fetch failed' || error.message === 'terminated';
}

function fail(): never {
	throw new Error('A call has no key');
}
