import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod/v4';
import { transaction } from '../performance';
import type { Changes } from './changes';
import type { Wallet } from './wallet';

const topUpRow = z.object({
	reference: z.string(),
	amount: z.number(),
	fee: z.number(),
	return_url: z.string().nullable(),
	status: z.enum(['pending', 'completed', 'failed', 'expired']),
	method: z.enum(['card', 'mobile_money']).nullable(),
	due_at: z.number().nullable(),
	due_status: z.enum(['completed', 'expired']).nullable(),
	created_at: z.number(),
});
const optionalTopUpRow = topUpRow.optional();
const topUpRows = z.array(topUpRow);

/**
 * A top-up. Amounts are in 1/10000 of the currency, times in milliseconds since 1970 UTC. `due_at` and `due_status` are
 * its next change.
 */
export type TopUp = z.output<typeof topUpRow>;

/** Result of the checkout of a pending top-up. */
export type CheckoutResult =
	| { readonly status: 'completed' | 'failed'; readonly method: TopUp['method'] }
	| {
			readonly status: 'pending';
			readonly method: TopUp['method'];
			/** Its next change, in milliseconds since 1970 UTC. Without it, it stays pending forever. */
			readonly next?: { readonly status: 'completed' | 'expired'; readonly at: number };
	  };

/** Whether the prompt of a mobile-money payment never came, and the payer can approve it in the menu of the network. */
export function awaitsApproval({ status, method, due_status }: TopUp): boolean {
	return status === 'pending' && method === 'mobile_money' && due_status === 'expired';
}

/** The top-ups (docs/api.md#top-up-states). */
export interface TopUps {
	/** @returns the stored top-up, pending */
	add(topUp: Pick<TopUp, 'reference' | 'amount' | 'fee' | 'return_url' | 'created_at'>, expiresAt: number): TopUp;
	find(reference: string): TopUp | undefined;
	/** All top-ups, newest first. */
	list(): TopUp[];
	/**
	 * Stores the result of the checkout. A completed top-up is credited once, in the same transaction.
	 * @returns the top-up as it is now; unchanged if it was no longer pending, or already paid and not waiting for approval
	 */
	checkOut(reference: string, result: CheckoutResult, now: number): TopUp | undefined;
	/** When the next one changes, in milliseconds since 1970 UTC. */
	nextDueAt(): number | undefined;
	/** Applies the next due change. @returns whether there was one */
	applyNextDue(now: number): boolean;
}

const dueRow = z.object({ due_at: z.number().nullable() });

/** Creates the top-ups part of the store. */
export function createTopUps(database: DatabaseSync, wallet: Wallet, changes: Changes): TopUps {
	const insert = database.prepare(
		`INSERT INTO top_ups (reference, amount, fee, return_url, status, due_at, due_status, created_at)
		 VALUES (?, ?, ?, ?, 'pending', ?, 'expired', ?) RETURNING *`,
	);
	const byReference = database.prepare('SELECT * FROM top_ups WHERE reference = ?');
	const all = database.prepare('SELECT * FROM top_ups ORDER BY rowid DESC');
	const update = database.prepare(
		'UPDATE top_ups SET status = ?, method = ?, due_at = ?, due_status = ? WHERE reference = ?',
	);
	const nextDue = database.prepare('SELECT min(due_at) AS due_at FROM top_ups WHERE due_at IS NOT NULL');
	const due = database.prepare('SELECT * FROM top_ups WHERE due_at <= ? ORDER BY due_at LIMIT 1');

	function find(reference: string): TopUp | undefined {
		return optionalTopUpRow.parse(byReference.get(reference));
	}

	function end({ reference, amount }: TopUp, status: TopUp['status'], method: TopUp['method'], now: number): void {
		update.run(status, method, null, null, reference);
		if (status !== 'completed') return;
		wallet.book({ type: 'topup', amount, reference, description: `Top-up ${reference}`, created_at: now });
	}

	return {
		add: ({ reference, amount, fee, return_url, created_at }, expiresAt) => {
			const row = topUpRow.parse(insert.get(reference, amount, fee, return_url, expiresAt, created_at));
			changes.emit('top_ups');
			changes.due();
			return row;
		},
		find,
		list: () => topUpRows.parse(all.all()),
		checkOut: (reference, result, now) => {
			transaction(database, () => {
				const topUp = find(reference);
				if (topUp?.status !== 'pending' || (topUp.method !== null && !awaitsApproval(topUp))) return;
				const { status, method } = result;
				if (status !== 'pending') end(topUp, status, method, now);
				else update.run(status, method, result.next?.at ?? null, result.next?.status ?? null, reference);
			});
			changes.emit('top_ups', 'wallet');
			changes.due();
			return find(reference);
		},
		nextDueAt: () => dueRow.parse(nextDue.get()).due_at ?? undefined,
		applyNextDue: (now) => {
			const next = optionalTopUpRow.parse(due.get(now));
			if (!next?.due_status) return false;
			const { due_status, method, due_at } = next;
			transaction(database, () => end(next, due_status, method, due_at ?? now));
			changes.emit('top_ups', 'wallet');
			return true;
		},
	};
}
