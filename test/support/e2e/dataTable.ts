import type { N8nApi } from './n8nApi';

/** A row of one of n8n's data tables. */
export type Row = Readonly<Record<string, string | number | boolean | null>>;

/** One of n8n's data tables, in which examples keep customers and their tickets. */
export interface DataTable {
	readonly rows: () => Promise<Row[]>;
	readonly insert: (rows: readonly Row[]) => Promise<void>;
	/** Changes the rows whose column has this value. */
	readonly update: (column: string, value: string, changed: Row) => Promise<void>;
}

/**
 * Opens a data table by its name.
 * @throws Error if there is none
 */
export async function openDataTable(n8n: N8nApi, name: string): Promise<DataTable> {
	const { data } = await n8n.call<{ data: ReadonlyArray<{ id: string; name: string }> }>('GET', '/data-tables');
	const id = data.find((table) => table.name === name)?.id;
	if (id === undefined) throw new Error(`n8n has no data table "${name}"`);
	return {
		rows: async () => (await n8n.call<{ data: Row[] }>('GET', `/data-tables/${id}/rows?limit=100`)).data,
		async insert(rows) {
			await n8n.call('POST', `/data-tables/${id}/rows`, { data: rows });
		},
		async update(column, value, changed) {
			const filter = { type: 'and', filters: [{ columnName: column, condition: 'eq', value }] };
			await n8n.call('PATCH', `/data-tables/${id}/rows/update`, { filter, data: changed });
		},
	};
}
