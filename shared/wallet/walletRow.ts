/**
 * The fields of a wallet transaction that matter here. The service's lists may have others.
 * @example const row: WalletRow = { id: '12', type: 'debit', amount: -0.05, balance: 39.95 };
 */
export interface WalletRow {
	readonly id?: string | null;
	readonly type?: string | null;
	/** In currency units. */
	readonly amount?: number | null;
	/** Balance after the transaction, in currency units. */
	readonly balance?: number | null;
	readonly created_at?: string | null;
	readonly [key: string]: unknown;
}

/** Fields of a transaction that may change. */
const CHANGING = /status|state|updated|completed|settled|confirmed/i;

/**
 * The identity of a transaction: its ID, or its fields if it has none. Rows without IDs and with equal fields have the same
 * name. Fields such as a status are left out, so that a pending row keeps its name when it completes.
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
 * Whether a transaction has an ID.
 * @example hasId({ type: 'debit' }) // false
 */
export function hasId(row: WalletRow): row is WalletRow & { readonly id: string } {
	return typeof row.id === 'string' && row.id !== '';
}
