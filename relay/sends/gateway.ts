import { contract } from '../../shared/index';
import { undiciTransport } from '../../shared/transports/undici';
import type { Services } from '../services';
import { createApiKeys } from './apiKeys';
import { readKeyedBulk, type KeyedBulk } from './bulkInput';
import { bulkSettlements, skippedEntry, wholeSettlement, withSkipped, type ForwardedEntry } from './bulkOutcomes';
import type { GatewayCall } from './call';
import { isQuestion, parseCallAttempt, type CallAttempt } from './callAttempt';
import { createClaims, wholeCall } from './claims';
import { createDigest } from './digests';
import { MOST_KEY_CHARACTERS, parseIdempotencyKey, type CallKeys } from './idempotencyKey';
import { parseKeyMaxAge, type KeyAge } from './keyAge';
import { givenCall, type GivenCall } from './movedFrom';
import { createOutcomes } from './outcomes';
import { createPace } from './pace';
import {
	errorReply,
	forwardedReply,
	invalidAttemptReply,
	invalidMaxAgeReply,
	inUseReply,
	jsonReply,
	loopReply,
	overtakenReply,
	presentReply,
	unknownReply,
	unprovedReply,
	type Reply,
} from './reply';
import { createService, type Forwarded, type ForwardOptions } from './service';
import { pickFields, rebuiltBody } from './storedFields';
import { createSendStore, type ClaimResult, type NewClaim, type Settlement, type Taken } from './store';
import { markAbandoned } from './upkeep';
import { createVia } from './via';
import { createWatch } from './watch';

/** Headers for a call that must not happen twice. */
export interface OnceHeaders {
	/** `Idempotency-Key`. */
	readonly key: string | undefined;
	/** `Relay-Attempt`. */
	readonly attempt: string | undefined;
	/** `Relay-Key-Max-Age`. */
	readonly keyMaxAge: string | undefined;
	/** `Relay-Moved-From`. */
	readonly movedFrom: string | undefined;
}

/** A call that claims keys, and how it is forwarded. */
interface OnceOptions extends ForwardOptions {
	/** With the digest of the call's ID. */
	readonly attempt: CallAttempt | undefined;
	/** If its keys have a maximum age. */
	readonly keyAge: KeyAge | undefined;
	/** The call as its sender gave it. */
	readonly given: GivenCall;
}

/** The gateway to the service. */
export interface Gateway {
	/**
	 * Makes a call, at most once for each idempotency key.
	 * @param waitSignals each ends waits before the call leaves
	 * @throws the error of the database, if the call did not leave
	 */
	handle(call: GatewayCall, headers: OnceHeaders, waitSignals: readonly AbortSignal[]): Promise<Reply>;
	/** Ends calls in flight, and writes their outcomes. */
	close(): Promise<void>;
}

/** A call is unknown to others this long after its time, in milliseconds, so its outcome can be written before. */
const GRACE_MS = 10_000;

/** Creates the gateway. Calls of a killed process become unknown first. */
export async function createGateway(services: Services): Promise<Gateway> {
	const { database, cipher, changes, metrics, settings } = services;
	const limitMs = settings.serviceTimeoutSeconds * 1_000;
	await markAbandoned(database, true);
	const digest = await createDigest(database, cipher);
	const pace = createPace(database, settings.serviceRate);
	const store = createSendStore(database, limitMs + GRACE_MS, pace);
	const watch = createWatch(store);
	const outcomes = createOutcomes(store, watch, changes);
	const via = createVia(digest);
	const service = createService(settings.serviceUrl, limitMs, { pace, via });
	const closing = new AbortController();
	const apiKeys = createApiKeys(
		{ database, digest, pace, serviceUrl: settings.serviceUrl, closing: closing.signal },
		undiciTransport(),
	);
	const makeClaim = createClaims(digest, cipher);
	const inFlight = new Set<Promise<unknown>>();

	async function forward(call: GatewayCall, options: ForwardOptions): Promise<Forwarded> {
		const forwarded = await service.forward(call, options);
		if (call.endpoint.repeat === 'once') metrics.sent(forwarded.outcome);
		return forwarded;
	}

	/** A failure here must not hide the outcome of a call that has left. */
	async function noteKey(call: GatewayCall, forwarded: Forwarded): Promise<void> {
		if (forwarded.kind !== 'response') return;
		await apiKeys.note(call, forwarded.response.status, forwarded.outcome === 'accepted').catch(() => undefined);
	}

	/**
	 * Whether a caller may learn about earlier sends: it made them, or the service accepts its API key.
	 * @returns a reply if it may not
	 */
	async function mayNotLearn(call: GatewayCall, earlier: readonly Taken[]): Promise<Reply | undefined> {
		const own = apiKeys.digestOf(call);
		if (earlier.every(({ api_key_digest }) => api_key_digest === own)) return undefined;
		return unprovedReply(await apiKeys.prove(call));
	}

	/** Claims keys, and waits while others use them. @returns a reply if the call may not leave */
	async function claim(
		call: GatewayCall,
		claims: readonly NewClaim[],
		{ deadline, waitSignals, attempt }: OnceOptions,
	): Promise<Extract<ClaimResult, { kind: 'claimed' }> | Reply> {
		for (;;) {
			const result = await store.claim(claims, attempt).catch((error: unknown) => {
				outcomes.release(claims.map(({ id }) => id));
				throw error;
			});
			if (result.kind === 'claimed') return result;
			if (result.kind === 'busy') {
				if (result.ids.length === 0 && performance.now() < deadline) continue;
				const signal = AbortSignal.any([...waitSignals]);
				if (await watch.settled(result.ids, deadline - performance.now(), signal)) continue;
				return inUseReply();
			}
			if (result.kind === 'overtaken') return overtakenReply();
			const place = claims.length === 1 ? undefined : claims.indexOf(result.claim);
			const entry = place === undefined ? '' : ` (entry ${place})`;
			return (
				(await mayNotLearn(call, [result.taken])) ??
				errorReply({
					status: 422,
					code: 'idempotency_key_reused',
					message: `This idempotency key${entry} belongs to a call with other content. Use a new key for a new message. Nothing was sent or charged.`,
					field: place === undefined ? undefined : `idempotency_keys.${place}`,
					outcome: 'rejected',
				})
			);
		}
	}

	/** Writes the outcomes of a call. If a key is free again, no earlier attempt of the call may use it. */
	async function settle(settlements: readonly Settlement[], { attempt }: OnceOptions): Promise<void> {
		const isCounted = attempt !== undefined;
		await outcomes.settle(
			settlements.map((one) => (isCounted && one.state === 'rejected' ? { ...one, attempt } : one)),
		);
	}

	/** Runs the part of a call from its claim to its settlement. The end of the relay waits for it. */
	async function track<Result>(work: Promise<Result>): Promise<Result> {
		inFlight.add(work);
		try {
			return await work;
		} finally {
			inFlight.delete(work);
		}
	}

	async function sendOnce(call: GatewayCall, keys: CallKeys, options: OnceOptions): Promise<Reply> {
		const mine = makeClaim(call, wholeCall(call, options.given, keys), apiKeys.digestOf(call), options.keyAge);
		const result = await claim(call, [mine], options);
		if (!('kind' in result)) return result;
		const taken = result.taken.get(mine.id);
		if (taken) return (await mayNotLearn(call, [taken])) ?? replay(call, taken);
		const forwarded = await forward(call, options);
		await settle([settlementOf(call, mine, forwarded)], options);
		await noteKey(call, forwarded);
		return forwardedReply(call.endpoint, forwarded, mine.id);
	}

	/** Only the owner of an API key can overtake its calls. */
	function hidden({ apiKey }: GatewayCall, { call, number }: CallAttempt): CallAttempt {
		return { call: digest('call', `${apiKey.value}\n${call}`), number };
	}

	function replay({ endpoint }: GatewayCall, { id, state, status, fields }: Taken): Reply {
		const outcome = state === 'accepted' ? 'accepted' : 'unknown';
		metrics.replayed(outcome);
		if (outcome === 'unknown') {
			const reply = unknownReply(endpoint, 'The outcome of the first call with this idempotency key is not known', id);
			return { ...reply, headers: { ...reply.headers, 'idempotent-replayed': 'true' } };
		}
		const body =
			fields === null ? JSON.stringify({ success: true, relay: { settled_by: 'person' } }) : rebuiltBody(fields);
		return jsonReply(status ?? 200, body, outcome, true);
	}

	async function sendBulk(call: GatewayCall, { text, entries }: KeyedBulk, options: OnceOptions): Promise<Reply> {
		const apiKeyDigest = apiKeys.digestOf(call);
		const claimed: ForwardedEntry[] = entries.map(({ to, part }) => ({
			to,
			claim: makeClaim(call, part, apiKeyDigest, options.keyAge),
		}));
		const result = await claim(
			call,
			claimed.map((entry) => entry.claim),
			options,
		);
		if (!('kind' in result)) return result;
		const left = claimed.filter((entry) => !result.taken.has(entry.claim.id));
		const freed = left.map(({ claim: { id } }): Settlement => ({ id, state: 'rejected' }));
		const skipped = claimed.flatMap(({ to, claim: { id } }) => {
			const taken = result.taken.get(id);
			return taken ? [skippedEntry(to, taken)] : [];
		});
		if (skipped.length > 0) {
			const reply = await mayNotLearn(call, [...result.taken.values()]).catch(async (error: unknown) => {
				await settle(freed, options);
				throw error;
			});
			if (reply) {
				await settle(freed, options);
				return reply;
			}
		}
		for (const { outcome } of skipped) metrics.replayed(outcome);
		if (left.length === 0) {
			const outcome = skipped.every((one) => one.outcome === 'accepted') ? 'accepted' : 'unknown';
			return jsonReply(200, JSON.stringify({ success: true, relay: { skipped } }), outcome, true);
		}
		const input = { ...text, to: left.map(({ to }) => to) };
		const body = new TextEncoder().encode(JSON.stringify(input));
		const forwarded = await forward(call, { ...options, body, input });
		await settle(bulkSettlements(left, input, forwarded), options);
		await noteKey(call, forwarded);
		const response = forwarded.kind === 'response' ? forwarded.response.text : undefined;
		return forwardedReply(call.endpoint, forwarded, undefined, withSkipped(response, skipped));
	}

	return {
		async handle(call, headers, waitSignals) {
			const deadline = performance.now() + limitMs;
			if (via.includes(call.headers.via)) return loopReply(call.endpoint);
			if (headers.attempt !== undefined && isQuestion(headers.attempt)) return presentReply();
			const parsed = headers.attempt === undefined ? undefined : parseCallAttempt(headers.attempt);
			if (headers.attempt !== undefined && !parsed) return invalidAttemptReply();
			const attempt = parsed && hidden(call, parsed);
			const keyAge = headers.keyMaxAge === undefined ? undefined : keyAgeOf(headers.keyMaxAge, attempt);
			if (headers.keyMaxAge !== undefined && !keyAge) return invalidMaxAgeReply();
			const given = givenCall(call, headers.movedFrom);
			const options: OnceOptions = { deadline, waitSignals, attempt, keyAge, given };
			const bulk = readKeyedBulk(call, given);
			if (bulk && 'problem' in bulk) {
				const { problem: message, field } = bulk;
				return errorReply({ status: 422, code: 'idempotency_keys_invalid', message, field, outcome: 'rejected' });
			}
			if (call.endpoint.repeat === 'once' && headers.key !== undefined) {
				const keys = parseIdempotencyKey(headers.key);
				if (!keys) return invalidKeyReply();
				if (bulk) {
					const message = 'Send either idempotency_keys in the body or the header Idempotency-Key, not both.';
					const field = 'idempotency_keys';
					return errorReply({ status: 422, code: 'idempotency_keys_invalid', message, field, outcome: 'rejected' });
				}
				return await track(sendOnce(call, keys, options));
			}
			if (bulk) return await track(sendBulk(call, bulk, options));
			const forwarded = await track(forward(call, options));
			await noteKey(call, forwarded);
			return forwardedReply(call.endpoint, forwarded);
		},
		async close() {
			closing.abort();
			await service.close();
			await Promise.allSettled(inFlight);
			await outcomes.close();
		},
	};
}

/** @returns undefined if the header is not valid, or the relay could not tell a late attempt from a new call */
function keyAgeOf(header: string, attempt: CallAttempt | undefined): KeyAge | undefined {
	const maxSeconds = parseKeyMaxAge(header);
	return maxSeconds !== undefined && attempt ? { call: attempt.call, maxSeconds } : undefined;
}

function invalidKeyReply(): Reply {
	return errorReply({
		status: 400,
		code: 'idempotency_key_invalid',
		message: `The header Idempotency-Key is not 1 to ${MOST_KEY_CHARACTERS} visible ASCII characters. Nothing was sent or charged.`,
		outcome: 'rejected',
	});
}

function settlementOf({ endpoint, input }: GatewayCall, claim: NewClaim, forwarded: Forwarded): Settlement {
	const { id } = claim;
	if (forwarded.outcome === 'rejected') return { id, state: 'rejected' };
	if (forwarded.kind !== 'response') return { id, state: 'unknown', status: null };
	const { status, reading } = forwarded.response;
	if (reading.kind !== 'output') return { id, state: 'unknown', status };
	const fields = pickFields(endpoint, reading.output);
	const { to } = input;
	if (endpoint.id !== contract.sms.sendBulk.id || !Array.isArray(to)) {
		return { id, state: 'accepted', status, fields };
	}
	const rows = bulkSettlements(
		to.map((one: unknown) => ({ to: one, claim })),
		input,
		forwarded,
	);
	return wholeSettlement(rows, { id, status, fields });
}
