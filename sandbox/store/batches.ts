import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod/v4';
import type { Changes } from './changes';
import { jsonColumn } from './json';
import type { MessageRows, Transition } from './messageRows';
import { packageShare, type Packages, type PackageShare } from './packages';
import { transaction } from './transaction';
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
 * A bulk send; `cost` is the price of each message that the wallet pays, in 1/10000 of the currency; `made` of `total`
 * recipients have become messages; `paid_by_packages` tells who pays for the first messages; times in milliseconds.
 */
export type Batch = z.output<typeof batchRow>;

/** A bulk send to accept. */
export type NewBatch = Omit<Batch, 'total' | 'made' | 'paid_by_packages'> & { readonly recipients: readonly string[] };

/** What became of a bulk send to accept; amounts in 1/10000 of the currency. */
export type BatchAcceptance =
	| { readonly accepted: true; readonly batch: Batch; readonly charged: number; readonly balance: number }
	| { readonly accepted: false; readonly currency: string; readonly available: number; readonly needed: number };

/** Plans the way of one message of a batch. @param position from 0 */
export type BatchPlan = (batch: Batch, recipient: string, position: number) => readonly Transition[];

/** The bulk sends: kept and paid for at once, turned into messages little by little (service.md, Bulk-send request). */
export interface Batches {
	/** Charges packages first and the wallet for the rest, and keeps the batch; or does nothing of it: one transaction. */
	accept(batch: NewBatch): BatchAcceptance;
	/** All of them, newest first. */
	list(): Batch[];
	/** Whether recipients wait to become messages. */
	waiting(): boolean;
	/**
	 * Turns the next recipients of the oldest batch into messages, in one transaction with the count of them, so that
	 * each becomes one message however often the sandbox is killed.
	 * @returns whether there were any
	 */
	makeNext(plan: BatchPlan, limit: number): boolean;
}

/** Gives the id of the message to the recipient at a position. */
export function batchMessageId(batchId: string, position: number): string {
	return `${batchId.replace(/^bulk_/, 'msg_')}_${position + 1}`;
}

class Insufficient extends Error {
	constructor(
		readonly currency: string,
		readonly available: number,
		readonly needed: number,
	) {
		super('the wallet holds too little');
	}
}

const recipientsRow = z.object({ recipients: jsonColumn(z.array(z.string())) });

/** Makes the batches' part of a store. */
export function createBatches(
	database: DatabaseSync,
	{ rows, wallet, packages, changes }: { rows: MessageRows; wallet: Wallet; packages: Packages; changes: Changes },
): Batches {
	const columns =
		'id, sender_id, text, priority, segments, cost, total, made, paid_by_packages, scheduled_at, created_at';
	const insert = database.prepare(
		`INSERT INTO batches (id, sender_id, text, priority, segments, cost, recipients, total, made, paid_by_packages,
			scheduled_at, created_at)
		 VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?) RETURNING ${columns}`,
	);
	const all = database.prepare(`SELECT ${columns} FROM batches ORDER BY rowid DESC`);
	const oldest = database.prepare(
		`SELECT ${columns} FROM batches WHERE made < total ORDER BY created_at, rowid LIMIT 1`,
	);
	const recipientsOf = database.prepare('SELECT recipients FROM batches WHERE id = ?');
	const count = database.prepare('UPDATE batches SET made = ? WHERE id = ?');
	// A long list is parsed once, not once for every few messages.
	let parsed: { readonly id: string; readonly recipients: readonly string[] } | undefined;

	function accept({ recipients, ...batch }: NewBatch): BatchAcceptance {
		try {
			const acceptance = transaction(database, (): BatchAcceptance => {
				const shares = packages.take(recipients.length, batch.segments);
				const paid = shares.reduce((sum, share) => sum + share.count, 0);
				const charged = (recipients.length - paid) * batch.cost;
				const { currency, balance } = wallet.read();
				// Throwing gives the credits back, too.
				if (balance < charged) throw new Insufficient(currency, balance, charged);
				const row = insert.get(
					batch.id,
					batch.sender_id,
					batch.text,
					batch.priority,
					batch.segments,
					batch.cost,
					JSON.stringify(recipients),
					recipients.length,
					JSON.stringify(shares),
					batch.scheduled_at,
					batch.created_at,
				);
				if (charged > 0) {
					wallet.book({
						type: 'debit',
						amount: -charged,
						reference: batch.id,
						description: `Bulk SMS to ${recipients.length - paid} recipients`,
						created_at: batch.created_at,
					});
				}
				return { accepted: true, batch: batchRow.parse(row), charged, balance: balance - charged };
			});
			changes.tell('batches', 'wallet', 'packages');
			changes.due();
			return acceptance;
		} catch (error) {
			if (!(error instanceof Insufficient)) throw error;
			const { currency, available, needed } = error;
			return { accepted: false, currency, available, needed };
		}
	}

	function readRecipients(id: string): readonly string[] {
		if (parsed?.id !== id) parsed = { id, ...recipientsRow.parse(recipientsOf.get(id)) };
		return parsed.recipients;
	}

	function makeNext(plan: BatchPlan, limit: number): boolean {
		const batch = optionalBatchRow.parse(oldest.get());
		if (!batch) {
			parsed = undefined;
			return false;
		}
		const recipients = readRecipients(batch.id).slice(batch.made, batch.made + limit);
		transaction(database, () => {
			for (const [index, recipient] of recipients.entries()) make(batch, recipient, batch.made + index, plan);
			count.run(batch.made + recipients.length, batch.id);
		});
		for (const recipient of new Set(recipients)) changes.phone(recipient);
		changes.tell('batches', 'messages');
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
		accept,
		list: () => batchRows.parse(all.all()),
		waiting: () => oldest.get() !== undefined,
		makeNext,
	};
}

function payingPackage(shares: readonly PackageShare[], position: number): number | null {
	let first = 0;
	for (const { package_id, count } of shares) {
		if (position < first + count) return package_id;
		first += count;
	}
	return null;
}
