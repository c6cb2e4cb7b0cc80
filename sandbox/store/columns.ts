import type { SQLOutputValue } from 'node:sqlite';

/** A row as SQLite gives it. */
export type Row = Readonly<Record<string, SQLOutputValue>>;

/*
 * Readers of columns for the rows that the sandbox handles by the hundred thousand: checking a row with a schema takes
 * several times as long as reading it.
 */

/** Reads a column that holds a text. @throws Error where it does not */
export function text(row: Row, column: string): string {
	const value = row[column];
	return typeof value === 'string' ? value : fail(column, value);
}

/** Reads a column that holds a number. @throws Error where it does not */
export function number(row: Row, column: string): number {
	const value = row[column];
	return typeof value === 'number' ? value : fail(column, value);
}

/** Reads a column that may hold a text. @throws Error where it holds something else */
export function nullableText(row: Row, column: string): string | null {
	return row[column] === null ? null : text(row, column);
}

/** Reads a column that may hold a number. @throws Error where it holds something else */
export function nullableNumber(row: Row, column: string): number | null {
	return row[column] === null ? null : number(row, column);
}

/** Finds a word among those that it may be. @throws Error where it is none of them */
export function oneOf<Word extends string>(words: readonly Word[], value: unknown, column: string): Word {
	return words.find((word) => word === value) ?? fail(column, value);
}

function fail(column: string, value: unknown): never {
	throw new Error(`the column ${column} holds ${String(value)}`);
}
