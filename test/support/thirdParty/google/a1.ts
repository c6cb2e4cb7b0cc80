/** A range of cells. Rows and columns count from 0, and the end is not part of it. */
export interface CellRange {
	readonly sheet: string;
	readonly top: number;
	readonly left: number;
	/** Undefined: to the last row. */
	readonly bottom: number | undefined;
	/** Undefined: to the last column. */
	readonly right: number | undefined;
}

const columnNumber = (letters: string) => [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0);

/** Writes the number of a column as letters: 0 is A, 26 is AA. */
export function columnLetters(column: number): string {
	const rest = Math.floor(column / 26) - 1;
	return (rest < 0 ? '' : columnLetters(rest)) + String.fromCharCode(65 + (column % 26));
}

/**
 * Reads a range in Google's A1 notation: `Sheet1`, `'Sheet 1'!A:C`, `Sheet1!2:3` or `Sheet1!B2`.
 * @returns undefined if it cannot be read
 */
export function readRange(text: string): CellRange | undefined {
	const [, quoted, plain, cells] = /^(?:'((?:[^']|'')*)'|([^!']+))(?:!(.*))?$/.exec(text) ?? [];
	const sheet = quoted?.replaceAll("''", "'") ?? plain;
	if (sheet === undefined) return undefined;
	if (cells === undefined) return { sheet, top: 0, left: 0, bottom: undefined, right: undefined };
	const [from, to = from] = cells.split(':').map((cell) => /^([A-Z]*)(\d*)$/.exec(cell.toUpperCase()));
	if (!from || !to || from[0] === '') return undefined;
	const [firstColumn = '', firstRow = ''] = from.slice(1);
	const [lastColumn = '', lastRow = ''] = to.slice(1);
	return {
		sheet,
		top: firstRow === '' ? 0 : Number(firstRow) - 1,
		left: firstColumn === '' ? 0 : columnNumber(firstColumn) - 1,
		bottom: lastRow === '' ? undefined : Number(lastRow),
		right: lastColumn === '' ? undefined : columnNumber(lastColumn),
	};
}
