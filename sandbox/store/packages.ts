import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod/v4';
import type { Changes } from './changes';
import { cached } from './cache';

const packageRow = z.object({
	id: z.number(),
	name: z.string(),
	credits: z.number(),
	credits_left: z.number(),
	created_at: z.number(),
});
const packageRows = z.array(packageRow);

/** A package of SMS credits, one for each segment; `created_at` in milliseconds since 1970 UTC. */
export type Package = z.output<typeof packageRow>;

/** How many messages a package pays for. */
export const packageShare = z.object({ package_id: z.number(), count: z.number() });

/** {@link packageShare} */
export type PackageShare = z.output<typeof packageShare>;

/** The packages of credits, which are used before the wallet (docs/api.md#billing). */
export interface Packages {
	/** All of them, in order of age. */
	list(): readonly Package[];
	add(added: Pick<Package, 'name' | 'credits' | 'created_at'>): Package;
	/**
	 * Takes credits for as many of some messages as packages can pay for in full, the oldest package first. No message
	 * is split between two of them. The caller holds a transaction around it.
	 */
	take(messages: number, segments: number): PackageShare[];
	/** Gives the credits of a failed message back. The caller holds a transaction around it. */
	giveBack(packageId: number, segments: number): void;
}

/** Makes the packages' part of a store. */
export function createPackages(database: DatabaseSync, changes: Changes): Packages {
	const all = database.prepare('SELECT * FROM packages ORDER BY id');
	const insert = database.prepare(
		'INSERT INTO packages (name, credits, credits_left, created_at) VALUES (?, ?, ?, ?) RETURNING *',
	);
	const move = database.prepare('UPDATE packages SET credits_left = credits_left + ? WHERE id = ?');
	// Every send asks for them.
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
