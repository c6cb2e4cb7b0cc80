/** A wallet transaction as far as its fields matter here; a list of the service shows others as well. */
export interface WalletRow {
	readonly id?: string | null;
	readonly type?: string | null;
	/** In currency units. */
	readonly amount?: number | null;
	/** Balance after it, in currency units. */
	readonly balance?: number | null;
	readonly created_at?: string | null;
	readonly [key: string]: unknown;
}

/** Fields that change while a transaction stays the same one. */
const CHANGING = /status|state|updated|completed|settled|confirmed/i;

/**
 * Names a transaction: by its ID, or by its fields if it has none. Rows without IDs and with equal fields share a name.
 * Fields such as a status are left out, because a pending row keeps its name when it completes.
 * @example transactionName({ id: '12', type: 'debit' }) // 'id:12'
 */
export function transactionName(row: WalletRow): string {
	if (hasId(row)) return `id:${row.id}`;
	const fields = Object.entries(row).filter(
		([key, value]) => value !== null && value !== undefined && !CHANGING.test(key),
	);
	return `row:${JSON.stringify(fields.sort(([a], [b]) => (a < b ? -1 : 1)))}`;
}

/**
 * Whether a transaction has an ID of its own.
 * @example hasId({ type: 'debit' }) // false
 */
export function hasId(row: WalletRow): row is WalletRow & { readonly id: string } {
	return typeof row.id === 'string' && row.id !== '';
}
