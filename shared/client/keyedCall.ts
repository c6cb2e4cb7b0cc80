import { ZodObject } from 'zod/v4';
import type { Endpoint, OutputOf } from '../contract/endpoint';
import { isObject } from '../contract/find';
import { nowOf, TransportError, type HttpResponse } from '../transport';
import { attempt, wait } from './attempt';
import type { CallOptions, Connection, RelayMemory } from './connection';
import type { KeyedParts } from './idempotencyKeys';
import { failedByKey, unknownByKey, type KeyedStep } from './keyedFailure';
import type { Outcome } from './outcome';
import { extractOutput, readResponse, type Reading } from '../reading/response';
import { mayBeOfProxy, proveRelay, unlessCanceled } from './relayProof';
import { KEY_REUSED, mayRelayErrorPass, readRelayReply, type RelayFacts, type RelayReply } from './relayReply';
import { buildRequest } from './request';
import { decideKeyed, inDoubtAfter, parseRetryAfter, type KeyedAttempt, type KeyedMeaning } from './retry';
import { parseJson } from '../reading/json';

/**
 * Makes one call through a relay, with an idempotency key. The hop to the relay is then safe to repeat, and is repeated
 * with the same key under the rules of `decideKeyed`. Before the first request, and before each repeat of a request that
 * may have arrived, it proves that the call goes to a relay: without one, a repeat could be a second message.
 * @param input already parsed by the endpoint's schema
 * @returns the outcome, and the last response; never throws
 */
export async function keyedCall<E extends Endpoint>(
	connection: Connection,
	memory: RelayMemory,
	endpoint: E,
	input: Readonly<Record<string, unknown>>,
	keys: KeyedParts,
	{ signal, waitSignal = signal }: Pick<CallOptions, 'signal' | 'waitSignal'>,
): Promise<{ readonly outcome: Outcome<OutputOf<E>>; readonly response?: HttpResponse }> {
	const { transport, retry, secrets, history, baseUrl, timeoutMs } = connection;
	const request = buildRequest(endpoint, { ...input, ...keys.body }, baseUrl, timeoutMs);
	const headers = { ...request.headers, ...connection.headers, ...keys.headers };
	const id = crypto.randomUUID();
	const about = () => ({ endpoint, input, secrets, keyWorked: history.keyWorked });
	const began = nowOf(transport);

	async function makeStep(number: number): Promise<KeyedStep<OutputOf<E>>> {
		const proof = await unlessCanceled(async () => await proveRelay(connection, memory, request), waitSignal ?? signal);
		if (proof === undefined) return { kind: 'no-response', failure: canceled() };
		if (proof.kind !== 'found') return { kind: 'no-relay', proof };
		const result = await attempt(transport, {
			...request,
			// After it rejected an attempt, the relay does not forward an earlier one that was held back on its way.
			headers: { ...headers, 'Relay-Attempt': `${number};call="${id}"` },
			signal,
			waitSignal,
		});
		if (result instanceof TransportError) return { kind: 'no-response', failure: result };
		const reply = readRelayReply(result, keys.perRecipient);
		if (!reply) return { kind: 'not-relay', response: result };
		const reading = readResponse(endpoint, reply.response, input);
		return { kind: 'reply', reply, reading, meaning: meaningOf(reply, reading, keys.perRecipient) };
	}

	let doubt: KeyedStep | undefined;
	for (let number = 1; ; number += 1) {
		const step = await makeStep(number);
		const result = attemptOf(step);
		const elapsed = nowOf(transport) - began;
		const wasInDoubt = doubt !== undefined;
		const decision = decideKeyed(result, wasInDoubt, number, elapsed, retry, Math.random());
		if (!inDoubtAfter(result, wasInDoubt)) doubt = undefined;
		else if (inDoubtAfter(result, false)) doubt = step;
		// Something else may be at the address now.
		if (step.kind === 'no-response' || step.kind === 'not-relay') memory.proofs.clear();
		if (decision.next === 'retry') {
			await wait(transport, decision.waitMs, waitSignal);
			continue;
		}
		const response = step.kind === 'reply' ? step.reply.response : undefined;
		const facts = step.kind === 'reply' ? factsOf(step.reply, keys, wasInDoubt) : undefined;
		if (decision.next === 'done' && step.kind === 'reply') {
			history.keyWorked = true;
			const { reading, reply } = step;
			const body = parseJson(reply.response.body)?.value;
			const output = reading.kind === 'output' ? reading.output : readStored(endpoint, body);
			return { outcome: { outcome: 'accepted', output, relay: facts }, response };
		}
		const failed =
			decision.next === 'rejected' ? failedByKey(about(), step) : unknownByKey(about(), step, doubt ?? step);
		const isAboutEarlier = facts?.replayed === true || (facts?.skipped ?? []).length > 0;
		return { outcome: { ...failed, ...(isAboutEarlier && { relay: facts }) }, response };
	}
}

function canceled(): TransportError {
	return new TransportError('The request was canceled', 'no', undefined, true);
}

function attemptOf(step: KeyedStep): KeyedAttempt {
	switch (step.kind) {
		case 'no-relay':
			return { kind: 'no-relay', mayPass: step.proof.kind === 'away' };
		case 'no-response':
			return { kind: 'no-response', left: step.failure.left, aborted: step.failure.aborted };
		case 'not-relay': {
			const { status, headers } = step.response;
			const retryAfterMs = parseRetryAfter(headers['retry-after'], Date.now());
			if (REJECTED_UNREAD.has(status)) return { kind: 'reply', meaning: 'nothing_now', mayPass: false };
			return { kind: 'reply', meaning: 'not_relay', mayPass: mayBeOfProxy(status), retryAfterMs };
		}
		case 'reply': {
			const { meaning, reply } = step;
			const retryAfterMs = parseRetryAfter(reply.response.headers['retry-after'], Date.now());
			return { kind: 'reply', meaning, mayPass: mayRelayErrorPass(reply), retryAfterMs };
		}
	}
}

/** Statuses with which a proxy certainly forwards nothing: it needs a login, or the request is too large for it. */
const REJECTED_UNREAD: ReadonlySet<number> = new Set([407, 413, 414, 431]);

/** These rejections say nothing about the message, because they come before the key is looked at or are about others. */
const ABOUT_THE_KEY: ReadonlySet<string> = new Set(['idempotency_key_invalid', 'idempotency_keys_invalid', KEY_REUSED]);

/** The meaning of a relay's response. If the relay and this version disagree about the outcome, it is unknown. */
function meaningOf(
	{ outcome, replayed, skipped, error, response }: RelayReply,
	reading: Reading<unknown>,
	perRecipient: boolean,
): KeyedMeaning {
	switch (outcome) {
		case undefined:
			return 'nothing_now';
		case 'unknown':
			return response.status === 409 ? 'in_use' : 'unknown';
		case 'accepted': {
			const readable = reading.kind === 'output' || (replayed && isObject(parseJson(response.body)?.value));
			return readable && (!perRecipient || skipped) ? 'accepted' : 'accepted_unread';
		}
		case 'rejected': {
			if (reading.kind === 'output' || reading.kind === 'doubt') return 'unknown';
			// Recipients that were left out may have got the message from an earlier attempt.
			const aboutAll = !perRecipient || skipped?.length === 0;
			return !aboutAll || (error && ABOUT_THE_KEY.has(error.code)) ? 'nothing_now' : 'rejected';
		}
	}
}

/** The facts for the caller. A key that only this call knows belongs to no earlier one. */
function factsOf({ replayed, settledBy, skipped }: RelayReply, { own }: KeyedParts, wasInDoubt: boolean): RelayFacts {
	const repeats = replayed || (skipped !== undefined && skipped.length > 0);
	return {
		replayed: replayed && !own && !wasInDoubt,
		...(repeats && (own || wasInDoubt) && { maybeSentNow: true }),
		...(settledBy && { settledBy }),
		...(skipped && { skipped }),
	};
}

/**
 * Reads the stored fields of an accepted call. The relay keeps only some of them, and none if a person settled it.
 * @param body parsed
 */
function readStored<E extends Endpoint>(endpoint: E, body: unknown): OutputOf<E> {
	const found = extractOutput(endpoint, body);
	const fields = endpoint.output instanceof ZodObject ? endpoint.output.partial().safeParse(found).data : found;
	// `Outcome` says that fields may be missing here: all callers would otherwise check every field of every call.
	return (fields ?? {}) as OutputOf<E>;
}
