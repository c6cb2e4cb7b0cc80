import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod/v4';
import { transaction } from '../performance';
import type { Changes } from './changes';
import { jsonColumn } from './json';
import type { MessageRows, Transition } from './messageRows';
import { packageShare, type Packages, type PackageShare } from './packages';
import type { Statistics } from './statistics';
import type { Wallet } from './wallet';

const batchRow = z.object({
	id: z.string(),
	sender_id: z.string(),
	text: z.string(),
	priority: z.number(),
	segments: z.number(),
	cost: z.number(),
	total: z.number(),
	made: z.number(),
	paid_by_packages: jsonColumn(z.array(packageShare)),
	scheduled_at: z.number().nullable(),
	created_at: z.number(),
});
const optionalBatchRow = batchRow.optional();
const batchRows = z.array(batchRow);

/**
 * A bulk send. `cost` is the price of each message paid by the wallet, in 1/10000 of the currency. `made` of `total`
 * recipients have become messages. `paid_by_packages` lists the packages that pay for the first messages. Times are in
 * milliseconds.
 */
export type Batch = z.output<typeof batchRow>;

/** A bulk send to accept. Its recipients have been received. */
export type NewBatch = Omit<Batch, 'made' | 'paid_by_packages'>;

/** Result of accepting a bulk send. Amounts are in 1/10000 of the currency. */
export type BatchAcceptance =
	| { readonly accepted: true; readonly batch: Batch; readonly charged: number; readonly balance: number }
	| { readonly accepted: false; readonly currency: string; readonly available: number; readonly needed: number };

/** Plans the status changes of one message of a batch. @param position from 0 */
export type BatchPlan = (batch: Batch, recipient: string, position: number) => readonly Transition[];

/** Bulk sends: stored and paid at once, turned into messages step by step (docs/api.md#send-a-bulk-sms). */
export interface Batches {
	/**
	 * Stores some recipients of a batch before it is accepted, so that a long list can arrive in slices.
	 * @param first position of the first recipient in the batch, from 0
	 */
	receive(batchId: string, first: number, recipients: readonly string[]): void;
	/** Deletes the received recipients of batches that were not accepted: of one, or of all. */
	discard(batchId?: string): void;
	/**
	 * Charges packages first and the wallet for the rest, and stores the batch. If the balance is too low, nothing
	 * changes. One transaction.
	 * @throws Error if not all of its recipients have been received
	 */
	accept(batch: NewBatch): BatchAcceptance;
	/** All batches, newest first. */
	list(): Batch[];
	/** Whether some recipients have not become messages yet. */
	waiting(): boolean;
	/**
	 * Turns the next recipients of a batch, by default the oldest, into messages. The count is in the same transaction,
	 * so each recipient gets one message even if the sandbox is killed.
	 * @returns whether there were any
	 */
	makeNext(plan: BatchPlan, limit: number, batchId?: string): boolean;
}

/** ID of the message to the recipient at a position. */
export function batchMessageId(batchId: string, position: number): string {
	return `${batchId.replace(/^bulk_/, 'msg_')}_${position + 1}`;
}

class Insufficient extends Error {
	constructor(
		readonly currency: string,
		readonly available: number,
		readonly needed: number,
	) {
		super('insufficient balance');
	}
}

const sliceRow = z.object({ first: z.number(), recipients: jsonColumn(z.array(z.string())) });
const receivedRow = z.object({ received: z.number() });

/** Creates the batches part of the store. */
export function createBatches(
	database: DatabaseSync,
	{
		rows,
		statistics,
		wallet,
		packages,
		changes,
	}: { rows: MessageRows; statistics: Statistics; wallet: Wallet; packages: Packages; changes: Changes },
): Batches {
	const columns =
		'id, sender_id, text, priority, segments, cost, total, made, paid_by_packages, scheduled_at, created_at';
	const insert = database.prepare(
		`INSERT INTO batches (id, sender_id, text, priority, segments, cost, total, made, paid_by_packages, scheduled_at,
			created_at)
		 VALUES (?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?) RETURNING ${columns}`,
	);
	const all = database.prepare(`SELECT ${columns} FROM batches ORDER BY rowid DESC`);
	const oldest = database.prepare(
		`SELECT ${columns} FROM batches WHERE made < total ORDER BY created_at, rowid LIMIT 1`,
	);
	const unmade = database.prepare(`SELECT ${columns} FROM batches WHERE id = ? AND made < total`);
	const count = database.prepare('UPDATE batches SET made = ? WHERE id = ?');
	const insertSlice = database.prepare(
		'INSERT INTO batch_slices (batch_id, first, count, recipients) VALUES (?, ?, ?, ?)',
	);
	const received = database.prepare('SELECT coalesce(sum(count), 0) AS received FROM batch_slices WHERE batch_id = ?');
	const sliceAt = database.prepare(
		'SELECT first, recipients FROM batch_slices WHERE batch_id = ? AND first <= ? ORDER BY first DESC LIMIT 1',
	);
	const dropSlice = database.prepare('DELETE FROM batch_slices WHERE batch_id = ? AND first = ?');
	const dropUnaccepted = database.prepare(
		`DELETE FROM batch_slices
		 WHERE (:batch IS NULL OR batch_id = :batch) AND batch_id NOT IN (SELECT id FROM batches)`,
	);

	function book(batch: NewBatch, shares: readonly PackageShare[]): BatchAcceptance {
		const { id, sender_id, text, priority, segments, cost, total, scheduled_at, created_at } = batch;
		const charged = (total - paidBy(shares)) * cost;
		const { currency, balance } = wallet.read();
		// The rollback also returns the credits.
		if (balance < charged) throw new Insufficient(currency, balance, charged);
		const paid = JSON.stringify(shares);
		const row = insert.get(id, sender_id, text, priority, segments, cost, total, paid, scheduled_at, created_at);
		if (charged > 0) {
			const paying = total - paidBy(shares);
			const description = `Bulk SMS to ${paying} ${paying === 1 ? 'recipient' : 'recipients'}`;
			wallet.book({ type: 'debit', amount: -charged, reference: id, description, created_at });
		}
		return { accepted: true, batch: batchRow.parse(row), charged, balance: balance - charged };
	}

	function accept(batch: NewBatch): BatchAcceptance {
		try {
			const acceptance = transaction(database, () => {
				// A reset may have deleted the received recipients.
				if (receivedRow.parse(received.get(batch.id)).received !== batch.total) {
					throw new Error(`the recipients of ${batch.id} no longer exist, probably because of a reset`);
				}
				return book(batch, packages.take(batch.total, batch.segments));
			});
			changes.emit('batches', 'wallet', 'packages');
			changes.due();
			return acceptance;
		} catch (error) {
			if (!(error instanceof Insufficient)) throw error;
			const { currency, available, needed } = error;
			return { accepted: false, currency, available, needed };
		}
	}

	function makeNext(plan: BatchPlan, limit: number, batchId?: string): boolean {
		const batch = optionalBatchRow.parse(batchId === undefined ? oldest.get() : unmade.get(batchId));
		if (!batch) return false;
		const slice = sliceRow.parse(sliceAt.get(batch.id, batch.made));
		const start = batch.made - slice.first;
		const recipients = slice.recipients.slice(start, start + limit);
		transaction(database, () => {
			for (const [index, recipient] of recipients.entries()) make(batch, recipient, batch.made + index, plan);
			statistics.count({ created_at: batch.created_at, channel: 'sms', status: 'queued' }, recipients.length);
			count.run(batch.made + recipients.length, batch.id);
			if (start + recipients.length === slice.recipients.length) dropSlice.run(batch.id, slice.first);
		});
		for (const recipient of new Set(recipients)) changes.phone(recipient);
		changes.emit('batches', 'messages');
		return true;
	}

	function make(batch: Batch, recipient: string, position: number, plan: BatchPlan): void {
		const packageId = payingPackage(batch.paid_by_packages, position);
		rows.insert(
			{
				id: batchMessageId(batch.id, position),
				channel: 'sms',
				recipient,
				sender_id: batch.sender_id,
				subject: null,
				text: batch.text,
				priority: batch.priority,
				segments: batch.segments,
				cost: packageId === null ? batch.cost : 0,
				batch_id: batch.id,
				package_id: packageId,
				status: 'queued',
				created_at: batch.created_at,
				scheduled_at: batch.scheduled_at,
			},
			plan(batch, recipient, position),
		);
	}

	return {
		receive: (batchId, first, recipients) =>
			transaction(database, () => void insertSlice.run(batchId, first, recipients.length, JSON.stringify(recipients))),
		discard: (batchId) => void dropUnaccepted.run({ batch: batchId ?? null }),
		accept,
		list: () => batchRows.parse(all.all()),
		waiting: () => oldest.get() !== undefined,
		makeNext,
	};
}

function paidBy(shares: readonly PackageShare[]): number {
	return shares.reduce((sum, share) => sum + share.count, 0);
}

function payingPackage(shares: readonly PackageShare[], position: number): number | null {
	let first = 0;
	for (const { package_id, count } of shares) {
		if (position < first + count) return package_id;
		first += count;
	}
	return null;
}
