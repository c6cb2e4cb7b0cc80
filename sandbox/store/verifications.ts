import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod/v4';

const verificationRow = z.object({
	id: z.number(),
	phone: z.string(),
	code: z.string(),
	message_id: z.string(),
	status: z.enum(['pending', 'verified', 'blocked']),
	tries: z.number(),
	expires_at: z.number(),
	created_at: z.number(),
});
const optionalVerificationRow = verificationRow.optional();

/** A one-time code that was sent. `tries` counts the wrong ones. Times are in milliseconds since 1970 UTC. */
export type Verification = z.output<typeof verificationRow>;

/** The verifications (docs/api.md#one-time-codes). */
export interface Verifications {
	add(verification: Pick<Verification, 'phone' | 'code' | 'message_id' | 'expires_at' | 'created_at'>): Verification;
	find(id: number): Verification | undefined;
	/** The newest verification of a phone number. */
	newestOf(phone: string): Verification | undefined;
	/** Stores the result of a check. */
	update(verification: Pick<Verification, 'id' | 'status' | 'tries'>): void;
}

/** Creates the verifications part of the store. */
export function createVerifications(database: DatabaseSync): Verifications {
	const insert = database.prepare(
		`INSERT INTO verifications (phone, code, message_id, status, tries, expires_at, created_at)
		 VALUES (?, ?, ?, 'pending', 0, ?, ?) RETURNING *`,
	);
	const byId = database.prepare('SELECT * FROM verifications WHERE id = ?');
	const newest = database.prepare('SELECT * FROM verifications WHERE phone = ? ORDER BY id DESC LIMIT 1');
	const update = database.prepare('UPDATE verifications SET status = ?, tries = ? WHERE id = ?');
	return {
		add: ({ phone, code, message_id, expires_at, created_at }) =>
			verificationRow.parse(insert.get(phone, code, message_id, expires_at, created_at)),
		find: (id) => optionalVerificationRow.parse(byId.get(id)),
		newestOf: (phone) => optionalVerificationRow.parse(newest.get(phone)),
		update: ({ id, status, tries }) => void update.run(status, tries, id),
	};
}
