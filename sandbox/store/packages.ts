import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod/v4';
import { cached } from '../performance';
import type { Changes } from './changes';

const packageRow = z.object({
	id: z.number(),
	name: z.string(),
	credits: z.number(),
	credits_left: z.number(),
	created_at: z.number(),
});
const packageRows = z.array(packageRow);

/** A package of SMS credits, one per segment. `created_at` is in milliseconds since 1970 UTC. */
export type Package = z.output<typeof packageRow>;

/** Number of messages that a package pays for. */
export const packageShare = z.object({ package_id: z.number(), count: z.number() });

/** {@link packageShare} */
export type PackageShare = z.output<typeof packageShare>;

/** Packages of credits, which pay before the wallet (docs/api.md#billing). */
export interface Packages {
	/** All packages, oldest first. */
	list(): readonly Package[];
	add(added: Pick<Package, 'name' | 'credits' | 'created_at'>): Package;
	/**
	 * Takes credits for as many of the messages as packages can pay in full, oldest package first. No message is split
	 * between two packages. The caller holds a transaction.
	 */
	take(messages: number, segments: number): PackageShare[];
	/** Returns the credits of a failed message. The caller holds a transaction. */
	giveBack(packageId: number, segments: number): void;
}

/** Creates the packages part of the store. */
export function createPackages(database: DatabaseSync, changes: Changes): Packages {
	const all = database.prepare('SELECT * FROM packages ORDER BY id');
	const insert = database.prepare(
		'INSERT INTO packages (name, credits, credits_left, created_at) VALUES (?, ?, ?, ?) RETURNING *',
	);
	const move = database.prepare('UPDATE packages SET credits_left = credits_left + ? WHERE id = ?');
	// Every send reads them.
	const rows = cached(database, () => packageRows.parse(all.all()));

	function moveCredits(packageId: number, credits: number): void {
		const moved = rows
			.get()
			.map((row) => (row.id === packageId ? { ...row, credits_left: row.credits_left + credits } : row));
		move.run(credits, packageId);
		rows.set(moved);
	}

	return {
		list: () => rows.get(),
		add: ({ name, credits, created_at }) => {
			const row = packageRow.parse(insert.get(name, credits, credits, created_at));
			rows.drop();
			changes.emit('packages');
			return row;
		},
		take: (messages, segments) => {
			const shares: PackageShare[] = [];
			let left = messages;
			for (const { id, credits_left } of rows.get()) {
				const count = Math.min(left, Math.floor(credits_left / segments));
				if (count === 0) continue;
				moveCredits(id, -count * segments);
				shares.push({ package_id: id, count });
				left -= count;
			}
			return shares;
		},
		giveBack: (packageId, segments) => moveCredits(packageId, segments),
	};
}
