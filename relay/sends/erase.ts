import { toInternational } from '../../shared/index';
import type { Services } from '../services';
import { END_DIGITS, joinRecipients, splitRecipients } from './claims';

/** Rows that are read at a time. */
const PAGE = 500;

interface SealedRow {
	readonly id: string;
	readonly recipient: string;
}

/**
 * Erases a number from sends that are unknown or in flight. Their keys stay in use, so nothing is sent twice. Accepted
 * sends have no number. A digest of each number would make the search faster, but it would be one more trace of a person.
 * @param number as people write it, or a recipient as a caller gave it
 * @returns how many sends had it
 */
export async function eraseRecipient({ database, cipher, changes }: Services, number: string): Promise<number> {
	const wanted = new Set([number, toInternational(number)]);
	const isWanted = (recipient: string) => wanted.has(recipient) || wanted.has(toInternational(recipient));

	/** @returns whether the send had the number */
	async function eraseFrom(first: SealedRow): Promise<boolean> {
		// Another request may erase another recipient of the same send.
		for (let row: SealedRow | undefined = first; row;) {
			const recipients = splitRecipients(cipher.open(row.recipient));
			const left = recipients.filter((one) => !isWanted(one));
			if (left.length === recipients.length) return false;
			const changed = await database.query(
				`update relay.send set recipient = $3, recipient_end = null, erased = true
				where id = $1 and recipient = $2 returning 1 as one`,
				[row.id, row.recipient, left.length === 0 ? null : cipher.seal(joinRecipients(left))],
			);
			if (changed.length > 0) return true;
			[row] = await database.query<SealedRow>(
				'select id, recipient from relay.send where id = $1 and recipient is not null',
				[row.id],
			);
		}
		return false;
	}

	const end = number.replaceAll(/\D/g, '').slice(-END_DIGITS);
	let erased = 0;
	let after = '';
	for (;;) {
		const rows = await database.query<SealedRow>(
			`select id, recipient from relay.send
			where state <> 'accepted' and recipient is not null and id > $1 and (recipient_end is null or recipient_end = $2)
			order by id limit ${PAGE}`,
			[after, end],
		);
		for (const row of rows) if (await eraseFrom(row)) erased += 1;
		after = rows.at(-1)?.id ?? after;
		if (rows.length < PAGE) break;
	}
	if (erased > 0) changes.announce('sends');
	return erased;
}
