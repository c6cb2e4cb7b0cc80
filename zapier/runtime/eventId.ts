import { createHash } from 'node:crypto';

/**
 * Gives the rows of a polled list the IDs by which Zapier recognizes new ones. A row without an ID gets a digest of its
 * content, the same at every poll. Rows with the same content are numbered, starting with the oldest.
 * @param rows newest first
 * @param nameOf names a row without an ID; by default from all its fields
 */
export function withEventIds<Row extends { readonly id?: string | null }>(
	rows: readonly Row[],
	nameOf: (row: Row) => string = digest,
): Array<Row & { id: string }> {
	const seen = new Map<string, number>();
	const oldestFirst = rows.toReversed().map((row) => {
		const name = row.id ?? nameOf(row);
		const earlier = seen.get(name) ?? 0;
		seen.set(name, earlier + 1);
		return { ...row, id: earlier === 0 ? name : `${name}:${earlier + 1}` };
	});
	return oldestFirst.toReversed();
}

function digest(row: object): string {
	const sorted = Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1));
	return createHash('sha256').update(JSON.stringify(sorted)).digest('hex').slice(0, 32);
}
