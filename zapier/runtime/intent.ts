import type { Client } from '../../shared';
import type { IdempotencyKeyOf } from './idempotencyKeys';

/** The fields of a step's output. */
export type Output = Readonly<Record<string, unknown>>;

/** An accepted send. */
export interface Accepted<Sent extends Output> {
	readonly output: Sent;
	/** Whether the relay sent nothing, because an earlier run did. */
	readonly isReplay: boolean;
}

/** A message or bulk send that must go out at most once per key. */
export interface Intent<Sent extends Output> {
	/** Key of the step, which separates the Send Once Keys of different steps. */
	readonly action: string;
	/** Not empty. */
	readonly recipients: readonly string[];
	/**
	 * Everything that makes the message this one: recipients in any order, texts, sender, and the time that the user chose.
	 * Without a time that only the Sending Hours chose, because a replay gets another one.
	 */
	readonly content: readonly unknown[];
	/**
	 * Sends once. Throws a `ServiceError` if the send was not accepted.
	 * @param keyOf makes idempotency keys; only with a relay and a Send Once Key
	 */
	readonly send: (client: Client, keyOf?: IdempotencyKeyOf) => Promise<Accepted<Sent>>;
	/** Shortens a large output before it is stored. Without it, the whole output is stored. */
	readonly keep?: (output: Sent) => Output;
}
