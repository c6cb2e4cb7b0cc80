import { hasId, transactionName, type WalletRow } from './walletRow';

/** Whether two pages contain the same transactions in the same order. */
export function samePage(a: readonly WalletRow[], b: readonly WalletRow[]): boolean {
	return a.length === b.length && a.every((row, index) => nameAt(b, index) === transactionName(row));
}

function nameAt(rows: readonly WalletRow[], index: number): string | undefined {
	const row = rows[index];
	return row && transactionName(row);
}

/** The new rows of a page. */
export interface Joined<Row extends WalletRow> {
	readonly added: readonly Row[];
	/** Number of rows added in front of the list since the previous page was read. */
	readonly arrived: number;
}

/**
 * Joins a page to the earlier rows, newest first. Rows that arrive in between move the others back, so a page may begin with
 * more of the earlier rows than expected.
 * @param overlap number of earlier rows that the page begins with if none arrived
 * @param mode for rows without IDs and with equal fields: `likely` assumes that none arrived, `careful` that as many
 * arrived as possible, so that none is counted twice
 * @returns undefined if the page does not join the earlier rows
 */
export function joinPage<Row extends WalletRow>(
	rows: readonly Row[],
	page: readonly Row[],
	overlap: number,
	mode: 'likely' | 'careful',
): Joined<Row> | undefined {
	// More than a page back no row can be shared: then the page does not join, and is requested again.
	const tail = rows.slice(-2 * page.length - overlap).map(transactionName);
	const head = page.map(transactionName);
	const shared = page.every(hasId) ? lastKnown(tail, head) : sharedRun(tail, head, overlap, mode);
	if (shared === 0 && overlap > 0) return undefined;
	return { added: page.slice(shared), arrived: Math.max(0, shared - overlap) };
}

/** Number of rows at the start of a page, up to the last one that was already read. */
function lastKnown(tail: readonly string[], head: readonly string[]): number {
	const known = new Set(tail);
	return head.findLastIndex((name) => known.has(name)) + 1;
}

/** Number of rows at the start of a page that equal the last rows already read. */
function sharedRun(
	tail: readonly string[],
	head: readonly string[],
	overlap: number,
	mode: 'likely' | 'careful',
): number {
	const fits = (count: number) =>
		count <= tail.length && head.slice(0, count).every((name, index) => name === tail[tail.length - count + index]);
	if (mode === 'likely' && fits(overlap)) return overlap;
	for (let count = Math.min(tail.length, head.length); count > 0; count--) if (fits(count)) return count;
	return 0;
}
