import type { Sql } from '../database/database';
import type { MovedTable } from './tables';

/** Rows in one statement. A row has at most 256 KB of an event, twice. */
const PIECE = 100;

/** Changes the sealed value of a row. */
export type Reseal = (sealed: string) => string;

/**
 * Copies the rows of a table in their order, a piece at a time, so that the memory stays small. PostgreSQL writes and
 * reads each row as JSON, so no column is named here.
 * @param from a transaction
 * @param reseal is called with the value of `table.sealed`
 * @returns the number of rows
 */
export async function copyTable(from: Sql, to: Sql, table: MovedTable, reseal: Reseal): Promise<number> {
	const { name, order } = table;
	let count = 0;
	for await (const rows of readPieces(from, name, order)) {
		const resealed = rows.map((row) => resealRow(row, table, reseal));
		await to.query(
			`insert into relay.${name} overriding system value select * from jsonb_populate_recordset(null::relay.${name}, $1::jsonb)`,
			[`[${resealed.join(',')}]`],
		);
		count += rows.length;
	}
	return count;
}

async function* readPieces(from: Sql, name: string, order: string): AsyncGenerator<string[]> {
	await from.query(
		`declare moved no scroll cursor for select to_jsonb(t)::text as row from relay.${name} t order by ${order}`,
	);
	for (;;) {
		const rows = await from.query<{ row: string }>(`fetch ${PIECE} from moved`);
		if (rows.length === 0) break;
		yield rows.map(({ row }) => row);
	}
	await from.query('close moved');
}

function resealRow(row: string, { sealed }: MovedTable, reseal: Reseal): string {
	if (sealed === undefined) return row;
	const values: unknown = JSON.parse(row);
	if (!isRecord(values)) throw new Error('A row is not an object');
	const value = values[sealed];
	return typeof value === 'string' ? JSON.stringify({ ...values, [sealed]: reseal(value) }) : row;
}

function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}
