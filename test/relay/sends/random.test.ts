import fc from 'fast-check';
import { sendListSchema } from '../../../relay/sends/schema';
import { describeOnEachDatabase, isLong, type TestDatabase } from '../../support/relay/databases';
import type { RelayProcess } from '../../support/relay/relayProcess';
import { gatewayEnv, sendThrough, sms, type GatewayResponse } from './gateway';
import { accept, startService, type ScriptedService } from './service';

const HISTORIES = Number(process.env.HISTORIES ?? (isLong ? 500 : 12));

const KEYS = 3;

/** The reaction of the service, which a call carries in a header that the relay forwards. */
const FAULTS = ['none', 'none', 'none', 'reject', 'success false', 'drop before', 'drop after', 'fail after'] as const;

type Step =
	/** Calls at the same time. */
	| { readonly kind: 'calls'; readonly calls: readonly Call[] }
	/** The relay is killed while these calls are in flight, and starts again. */
	| { readonly kind: 'kill'; readonly calls: readonly Call[]; readonly afterMs: number }
	/** A person settles all unknown sends. */
	| { readonly kind: 'settle'; readonly outcome: 'arrived' | 'send_again' };

interface Call {
	readonly key: number;
	/** Almost always the same words for a key. */
	readonly words: number;
	readonly fault: (typeof FAULTS)[number];
}

const call: fc.Arbitrary<Call> = fc.record({
	key: fc.nat(KEYS - 1),
	words: fc.constantFrom(0, 0, 0, 0, 1),
	fault: fc.constantFrom(...FAULTS),
});

const step: fc.Arbitrary<Step> = fc.oneof(
	{
		weight: 8,
		arbitrary: fc.record({
			kind: fc.constant('calls' as const),
			calls: fc.array(call, { minLength: 1, maxLength: 6 }),
		}),
	},
	{
		weight: 1,
		arbitrary: fc.record({
			kind: fc.constant('kill' as const),
			calls: fc.array(call, { minLength: 1, maxLength: 4 }),
			afterMs: fc.nat(60),
		}),
	},
	{
		weight: 2,
		arbitrary: fc.record({ kind: fc.constant('settle' as const), outcome: fc.constantFrom('arrived', 'send_again') }),
	},
);

/** Counts what the service charged. */
interface Oracle {
	/** Message IDs by the words of the message. */
	readonly charged: Map<string, string[]>;
	/** How often a person let a message be sent again, by its recipient. Each key has one of its own. */
	readonly sentAgain: Map<string, number>;
}

function recipientOf(key: number): string {
	return `+23320111000${key}`;
}

/** Makes the service react as each call asks, and counts. */
function watchCharges(service: ScriptedService): Oracle {
	const charged = new Map<string, string[]>();
	service.respond = (response, { url, headers, body }) => {
		if (url.endsWith('/balance')) {
			response.writeHead(200, { 'content-type': 'application/json' }).end('{"balance":10}');
			return;
		}
		const fault = String(headers['x-request-id']);
		const json = { 'content-type': 'application/json' };
		if (fault === 'reject') response.writeHead(422, json).end('{"code":"validation","message":"Wrong number"}');
		else if (fault === 'success false') response.writeHead(200, json).end('{"success":false,"message":"Not sent"}');
		else if (fault === 'drop before') response.destroy();
		else {
			const { message } = JSON.parse(body) as { message: string };
			const ids = charged.get(message) ?? [];
			charged.set(message, ids);
			const id = `${message}#${ids.length}`;
			ids.push(id);
			if (fault === 'drop after') response.destroy();
			else if (fault === 'fail after') response.writeHead(500, json).end('{"message":"Broken"}');
			else accept(response, id);
		}
	};
	return { charged, sentAgain: new Map() };
}

/** One history of calls, faults, kills and people. */
class History {
	readonly #name: string;
	readonly #oracle: Oracle;

	constructor(name: string, oracle: Oracle) {
		this.#name = name;
		this.#oracle = oracle;
	}

	keyOf({ key }: Call): string {
		return `${this.#name}-key-${key}`;
	}

	wordsOf(one: Call): string {
		return `${this.keyOf(one)} words ${one.words}`;
	}

	async send(relay: RelayProcess, one: Call): Promise<GatewayResponse> {
		const headers = { 'x-request-id': one.fault };
		const response = await sendThrough(relay, sms(this.wordsOf(one), recipientOf(one.key)), {
			key: this.keyOf(one),
			headers,
		});
		this.#check(one, response);
		return response;
	}

	/** Every response is true. */
	#check(one: Call, { status, outcome, isReplay, code, text }: GatewayResponse): void {
		const charged = this.#oracle.charged.get(this.wordsOf(one)) ?? [];
		if (outcome === 'accepted') {
			expect(status).toBe(200);
			const body = JSON.parse(text) as { message_id?: string; relay?: { settled_by: string } };
			if (body.relay?.settled_by === 'person') expect(isReplay).toBe(true);
			else expect(charged).toContain(body.message_id);
		} else if (outcome === 'rejected') {
			const reason = code === 'idempotency_key_reused' ? code : one.fault;
			expect([
				['idempotency_key_reused', 422],
				['reject', 422],
				['success false', 200],
			]).toContainEqual([reason, status]);
		} else {
			expect(outcome).toBe('unknown');
			expect([500, 502, 504, 409]).toContain(status);
		}
	}

	/** A key is charged once, and once more for each time that a person let it be sent again. */
	checkCharges(): void {
		for (let key = 0; key < KEYS; key += 1) {
			const name = this.keyOf({ key, words: 0, fault: 'none' });
			const ids = [...this.#oracle.charged].filter(([words]) => words.startsWith(`${name} `)).flatMap(([, all]) => all);
			const allowed = 1 + (this.#oracle.sentAgain.get(recipientOf(key)) ?? 0);
			expect([name, Math.min(ids.length, allowed)]).toEqual([name, ids.length]);
		}
	}

	/** A person settles all unknown sends. */
	async settleAll(relay: RelayProcess, outcome: 'arrived' | 'send_again'): Promise<void> {
		const { data } = sendListSchema.parse(await (await relay.api('GET', '/v1/sends?state=unknown&limit=100')).json());
		for (const { id, to } of data) {
			expect((await relay.api('POST', `/v1/sends/${id}/settle`, { outcome })).status).toBe(200);
			const { sentAgain } = this.#oracle;
			if (outcome === 'send_again') sentAgain.set(to ?? '', (sentAgain.get(to ?? '') ?? 0) + 1);
		}
	}
}

async function play(
	database: TestDatabase,
	relay: RelayProcess,
	env: Record<string, string>,
	history: History,
	steps: readonly Step[],
): Promise<RelayProcess> {
	let running = relay;
	for (const one of steps) {
		if (one.kind === 'calls') await Promise.all(one.calls.map(async (made) => await history.send(running, made)));
		else if (one.kind === 'settle') await history.settleAll(running, one.outcome);
		else {
			const target = running;
			const calls = Promise.allSettled(one.calls.map(async (made) => await history.send(target, made)));
			await new Promise((resolve) => setTimeout(resolve, one.afterMs));
			await target.kill();
			for (const result of await calls) {
				// Only the connection may fail, not a check.
				if (result.status === 'rejected' && !isConnectionError(result.reason)) throw result.reason;
			}
			running = await database.start({ env });
			if (database.kind === 'postgres') {
				// As if the time of the calls of the killed process were over.
				await database.query(`update relay.send set until = clock_timestamp() where state = 'in_flight'`);
			}
		}
		history.checkCharges();
	}
	return running;
}

describeOnEachDatabase('random histories of callers, faults, kills and people', (database) => {
	it(
		`never charge a key twice, and every response is true (${HISTORIES} histories)`,
		async () => {
			const service = await startService();
			const env = gatewayEnv(service.baseUrl, { RELAY_SERVICE_TIMEOUT_SECONDS: '20' });
			let relay = await database().start({ env });
			let played = 0;
			const seed = process.env.SEED === undefined ? Date.now() : Number(process.env.SEED);
			process.stdout.write(`Random sends: SEED=${seed}\n`);
			await fc.assert(
				fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), async (steps) => {
					played += 1;
					const history = new History(`${database().kind}-${played}`, watchCharges(service));
					relay = await play(database(), relay, env, history, steps);
					// Unknown sends of this history would be settled in the next one.
					await history.settleAll(relay, 'arrived');
				}),
				{ numRuns: HISTORIES, seed, endOnFailure: true },
			);
			await relay.stop();
			await service.close();
		},
		isLong ? 3_600_000 : 300_000,
	);
});

/** The error of fetch, which may come from another realm. */
function isConnectionError(error: unknown): boolean {
	return typeof error === 'object' && error !== null && 'name' in error && error.name === 'TypeError';
}
