import { createHash } from 'node:crypto';
import type { Bundle, ZObject } from 'zapier-platform-core';
import {
	contract,
	readNewest,
	transactionName,
	type Client,
	type NewestRows,
	type OutputOf,
	type ServiceError,
} from '../../shared';
import { withEventIds } from './eventId';

type Listed = OutputOf<typeof contract.wallet.listTransactions>[number];

/** A wallet transaction, with an ID that is the same at every poll. */
export type Transaction = Listed & { readonly id: string };

/**
 * Most rows that a poll reads. Turning a Zap on reads more: if rows disappear from the list, older rows move into the
 * window and would count as new.
 */
const WINDOW = 5_000;
const WINDOW_AT_TURN_ON = 5_500;

/** Pages requested at the same time. */
const PARALLEL = 5;

/**
 * Time for all calls of a poll, in milliseconds. Zapier ends a step after 30 seconds, which include the connection test
 * when a Zap is turned on.
 */
const POLL_MS = 22_000;
const TURN_ON_MS = 18_000;

/** A poll of the wallet: its client and its time limit. */
export interface WalletPoll {
	readonly z: ZObject;
	readonly client: Client;
	/** Whether the Zap is being turned on. Zapier then only stores the IDs. */
	readonly turningOn: boolean;
	/** Aborts the calls in flight when the time is over. */
	readonly signal: AbortSignal;
	/** Remaining time, in milliseconds. */
	readonly left: () => number;
}

/**
 * Runs a poll of the wallet, and aborts its calls when its time is over.
 * @throws the errors of `work`
 */
export async function readForPoll<Result>(
	z: ZObject,
	bundle: Pick<Bundle, 'meta'>,
	client: Client,
	work: (poll: WalletPoll) => Promise<Result>,
): Promise<Result> {
	const turningOn = bundle.meta.isPopulatingDedupe;
	const end = performance.now() + (turningOn ? TURN_ON_MS : POLL_MS);
	const over = new AbortController();
	const timer = setTimeout(() => over.abort(), end - performance.now());
	try {
		return await work({ z, client, turningOn, signal: over.signal, left: () => end - performance.now() });
	} finally {
		clearTimeout(timer);
	}
}

/**
 * Reads wallet transactions until there are enough, and returns them newest first, whatever the order of the list. A
 * poll may miss rows, because the next poll reads them. When a Zap is turned on, missing rows are an error.
 * @param enough whether the rows are enough
 * @throws ServiceError if the service fails; z.errors.Error if it is too slow, or its order of rows hides new ones
 */
export async function recentTransactions(
	{ z, client, turningOn, signal, left }: WalletPoll,
	enough: (rows: readonly Transaction[]) => boolean,
): Promise<Transaction[]> {
	let error: ServiceError | undefined;
	let slowest = 0;
	const read = await readNewest<Listed>(
		async (page) => {
			const began = performance.now();
			const requested = await client.call(contract.wallet.listTransactions, page, { signal });
			slowest = Math.max(slowest, performance.now() - began);
			if (requested.outcome === 'accepted') return requested.output;
			error = requested.error;
			return undefined;
		},
		{
			most: turningOn ? WINDOW_AT_TURN_ON : WINDOW,
			parallel: PARALLEL,
			enough: (rows) => enough(named(rows)),
			// Time for one more set of pages and another call after it.
			goOn: () => left() > 2 * slowest,
		},
	);
	const problem = problemOf(read, signal.aborted);
	const isShort = read.ended === 'failed' || problem !== undefined;
	if (isShort && (turningOn || read.rows.length === 0 || problem === HIDDEN)) {
		if (error && !signal.aborted) throw error;
		throw new z.errors.Error(problem ?? SLOW, 'WalletNotListed', 408);
	}
	return named(read.rows);
}

const SLOW =
	'The service is too slow to list the wallet transactions in time. If the Zap started now, old transactions could count as new later. Turn the Zap on again later.';
const CHANGING =
	'The list of transactions changed while this step read it. If the Zap started now, old transactions could count as new later. Turn the Zap on again.';
const HIDDEN =
	'The service lists only one page of transactions, the oldest first. So this trigger can never see a new one.';

/** Why rows are missing, as a message for the Zap's owner; undefined if none are. */
function problemOf({ rows, order, ended }: NewestRows<Listed>, timeIsOver: boolean): string | undefined {
	if (ended === 'one_page' && order === 'oldest_first' && rows.length >= 100) return HIDDEN;
	if (ended === 'gap') return CHANGING;
	return ended === 'stopped' || (ended === 'failed' && timeIsOver) ? SLOW : undefined;
}

function named(rows: readonly Listed[]): Transaction[] {
	return withEventIds(rows, (row) => createHash('sha256').update(transactionName(row)).digest('hex').slice(0, 32));
}
