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

/** A wallet transaction, with an id that is the same at every poll. */
export type Transaction = Listed & { readonly id: string };

/**
 * Rows that a poll looks at. What is read when a Zap is turned on reaches further, because rows may vanish from a list,
 * and older ones that come into sight would count as new.
 */
const WINDOW = 5_000;
const WINDOW_AT_TURN_ON = 5_500;

/** Pages that are asked for at the same time. */
const PARALLEL = 5;

/**
 * Time for all calls of a poll, in milliseconds. Zapier ends a step after 30 seconds; when a Zap is turned on, testing the
 * connection is a part of them.
 */
const POLL_MS = 22_000;
const TURN_ON_MS = 18_000;

/** A poll of the wallet: its client, and the time that it has. */
export interface WalletPoll {
	readonly z: ZObject;
	readonly client: Client;
	/** Whether the Zap is being turned on: then Zapier only remembers the ids. */
	readonly turningOn: boolean;
	/** Ends the calls that are in flight when the time is over. */
	readonly signal: AbortSignal;
	/** Milliseconds that are left. */
	readonly left: () => number;
}

/**
 * Runs a poll of the wallet, and ends its calls when its time is over.
 * @throws what `work` throws
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
 * Reads wallet transactions until there are enough, newest first whatever the order of the list. Fewer rows than there
 * are do no harm at a poll, because the next one reads them; when a Zap is turned on, they are an error.
 * @param enough whether the rows suffice
 * @throws ServiceError if the service fails; z.errors.Error if it is too slow, or lists in a way that hides new rows
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
			// One more set of pages, and another call after it, have to fit.
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
	'The service is too slow to list the transactions of the wallet in time. If the Zap started now, it could take old transactions for new ones later. Turn the Zap on again in a while.';
const CHANGING =
	'The list of transactions changed while it was read. If the Zap started now, it could take old transactions for new ones later. Turn the Zap on again.';
const HIDDEN =
	'The service lists the oldest transactions first and shows one page only, so this trigger can never see a new one.';

/** Why the rows are not all that they should be, in words for the owner of the Zap. */
function problemOf({ rows, order, ended }: NewestRows<Listed>, timeIsOver: boolean): string | undefined {
	if (ended === 'one_page' && order === 'oldest_first' && rows.length >= 100) return HIDDEN;
	if (ended === 'gap') return CHANGING;
	return ended === 'stopped' || (ended === 'failed' && timeIsOver) ? SLOW : undefined;
}

function named(rows: readonly Listed[]): Transaction[] {
	return withEventIds(rows, (row) => createHash('sha256').update(transactionName(row)).digest('hex').slice(0, 32));
}
