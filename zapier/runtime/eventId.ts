import { createHash } from 'node:crypto';

/**
 * Gives the rows of a polled list the ids by which Zapier tells what is new. A row that has an id keeps it; one without
 * gets a digest of its content, the same at every poll, and rows with the same content are counted from the oldest on.
 * @param rows newest first
 * @param nameOf names a row without an id; by all of its fields unless given
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
