import { Hono, type Context } from 'hono';
import { randomBytes } from 'node:crypto';
import { z } from 'zod/v4';
import { columnLetters, readRange, type CellRange } from './a1';
import type { GoogleAccount } from './account';
import { googleError } from './errors';

/** The value of a cell. An empty cell is an empty text. */
export type Cell = string | number | boolean | DateCell;

/** A cell that Google keeps as a date, because a person typed one. */
export interface DateCell {
	/** ISO 8601, such as `1990-03-27`. */
	readonly date: string;
}

/** One sheet (a tab) of a spreadsheet, and a person who looks at it. */
export interface Sheet {
	/** Of the spreadsheet. */
	readonly id: string;
	readonly name: string;
	readonly tab: { readonly id: number; readonly name: string };
	/** All rows with a value, headings first, without the empty cells at their ends. */
	readonly rows: () => Cell[][];
	/** Types values below the last row, or in the place of all rows. */
	readonly type: (rows: readonly (readonly Cell[])[], place?: 'below' | 'instead') => void;
}

/** The API of Google Sheets, as n8n's nodes use it (https://developers.google.com/workspace/sheets/api/reference/rest). */
export interface GoogleSheets {
	/** Serves `sheets.googleapis.com`. */
	readonly app: Hono;
	/** Makes a spreadsheet with one tab. */
	readonly make: (name: string, rows: readonly (readonly Cell[])[]) => Sheet;
	/** All spreadsheets, for the list of files. */
	readonly files: () => ReadonlyArray<{ readonly id: string; readonly name: string }>;
	/** Makes the next requests that write fail, as Google does when there are too many. */
	readonly rejectWrites: (times: number) => void;
}

interface Tab {
	readonly sheetId: number;
	readonly title: string;
	cells: Cell[][];
	rowCount: number;
	columnCount: number;
}

const written = z.object({
	range: z.string().optional(),
	values: z.array(z.array(z.union([z.string(), z.number(), z.boolean(), z.null()]))),
});
const batch = z.object({ data: z.array(written.required()), valueInputOption: z.string() });
const gridChange = z.object({
	requests: z.array(
		z.strictObject({
			appendDimension: z.object({
				sheetId: z.number(),
				dimension: z.enum(['ROWS', 'COLUMNS']),
				length: z.int().positive(),
			}),
		}),
	),
});

/** Opens the API with no spreadsheet. */
export function openGoogleSheets(account: GoogleAccount): GoogleSheets {
	const spreadsheets = new Map<string, { name: string; tabs: Tab[] }>();
	let rejectedWrites = 0;

	const notFound = (c: Context) => googleError(c, 404, 'NOT_FOUND', 'Requested entity was not found.');
	const unreadable = (c: Context, range: string) =>
		googleError(c, 400, 'INVALID_ARGUMENT', `Unable to parse range: ${range}`);
	const tooMany = (c: Context) =>
		googleError(c, 429, 'RESOURCE_EXHAUSTED', "Quota exceeded for quota metric 'Write requests'.");
	const isRejected = () => rejectedWrites > 0 && rejectedWrites-- > 0;

	/** Finds the cells of a range. */
	function find(id: string, text: string): { tab: Tab; range: CellRange } | undefined {
		const range = readRange(text);
		const tab = spreadsheets.get(id)?.tabs.find(({ title }) => title === range?.sheet);
		return tab && range && { tab, range };
	}

	function write(id: string, { range: text = '', values }: z.output<typeof written>, option: string) {
		const found = find(id, text);
		if (!found) return undefined;
		const { tab, range } = found;
		values.forEach((row, down) =>
			row.forEach((value, across) => {
				// Google leaves a cell as it is if the value is null.
				if (value !== null) setCell(tab, range.top + down, range.left + across, enter(value, option));
			}),
		);
		return {
			spreadsheetId: id,
			updatedRange: text,
			updatedRows: values.length,
			updatedColumns: Math.max(0, ...values.map((row) => row.length)),
			updatedCells: values.flat().length,
		};
	}

	const app = new Hono();
	app.use(account.requireToken);

	app.get('/v4/spreadsheets/:id', (c) => {
		const spreadsheet = spreadsheets.get(c.req.param('id'));
		if (!spreadsheet) return notFound(c);
		const sheets = spreadsheet.tabs.map(({ sheetId, title, rowCount, columnCount }, index) => ({
			properties: { sheetId, title, index, sheetType: 'GRID', gridProperties: { rowCount, columnCount } },
		}));
		return c.json({ sheets });
	});

	app.post('/v4/spreadsheets/:call', async (c) => {
		const [id = '', method] = c.req.param('call').split(':');
		const spreadsheet = spreadsheets.get(id);
		if (!spreadsheet || method !== 'batchUpdate') return notFound(c);
		if (isRejected()) return tooMany(c);
		for (const { appendDimension } of gridChange.parse(await c.req.json()).requests) {
			const tab = spreadsheet.tabs.find(({ sheetId }) => sheetId === appendDimension.sheetId);
			if (!tab) return notFound(c);
			if (appendDimension.dimension === 'ROWS') tab.rowCount += appendDimension.length;
			else tab.columnCount += appendDimension.length;
		}
		return c.json({ spreadsheetId: id, replies: [{}] });
	});

	app.post('/v4/spreadsheets/:id/values:batchUpdate', async (c) => {
		const id = c.req.param('id');
		if (!spreadsheets.has(id)) return notFound(c);
		if (isRejected()) return tooMany(c);
		const { data, valueInputOption } = batch.parse(await c.req.json());
		const unknown = data.find(({ range }) => !find(id, range));
		if (unknown) return unreadable(c, unknown.range);
		return c.json({ spreadsheetId: id, responses: data.map((each) => write(id, each, valueInputOption)) });
	});

	app.get('/v4/spreadsheets/:id/values/:range', (c) => {
		const { id, range: text } = c.req.param();
		const found = find(id, text);
		if (!found) return spreadsheets.has(id) ? unreadable(c, text) : notFound(c);
		const { tab, range } = found;
		const { valueRenderOption, dateTimeRenderOption } = c.req.query();
		const isFormatted = valueRenderOption !== 'UNFORMATTED_VALUE';
		const isDateFormatted = isFormatted || dateTimeRenderOption === 'FORMATTED_STRING';
		const values = trimmed(
			tab.cells.slice(range.top, range.bottom).map((row) => row.slice(range.left, range.right)),
		).map((row) =>
			row.map((cell) => {
				if (typeof cell === 'object') return isDateFormatted ? dateText(cell) : serialNumber(cell);
				return isFormatted ? formatted(cell) : cell;
			}),
		);
		const last = `${columnLetters((range.right ?? tab.columnCount) - 1)}${range.bottom ?? tab.rowCount}`;
		return c.json({
			range: `${range.sheet}!${columnLetters(range.left)}${range.top + 1}:${last}`,
			majorDimension: 'ROWS',
			// Google leaves the field out if all cells are empty.
			...(values.length > 0 && { values }),
		});
	});

	app.put('/v4/spreadsheets/:id/values/:range', async (c) => {
		const { id, range } = c.req.param();
		if (isRejected()) return tooMany(c);
		const result = write(id, { ...written.parse(await c.req.json()), range }, c.req.query('valueInputOption') ?? '');
		return result ? c.json(result) : unreadable(c, range);
	});

	app.post('/v4/spreadsheets/:id/values/:call', async (c) => {
		const { id, call } = c.req.param();
		const text = call.slice(0, call.lastIndexOf(':'));
		const found = find(id, text);
		if (!call.endsWith(':append') || !found) return unreadable(c, text);
		if (isRejected()) return tooMany(c);
		const range = `'${found.range.sheet}'!A${found.tab.cells.length + 1}`;
		const { values } = written.parse(await c.req.json());
		const updates = write(id, { values, range }, c.req.query('valueInputOption') ?? '');
		return c.json({ spreadsheetId: id, tableRange: text, updates });
	});

	return {
		app,
		make(name, rows) {
			const id = randomBytes(33).toString('base64url');
			const tab: Tab = { sheetId: 0, title: 'Sheet1', cells: [], rowCount: 1000, columnCount: 26 };
			spreadsheets.set(id, { name, tabs: [tab] });
			const type: Sheet['type'] = (typed, place = 'below') => {
				if (place === 'instead') tab.cells = [];
				const top = tab.cells.length;
				typed.forEach((row, down) => row.forEach((value, across) => setCell(tab, top + down, across, value)));
			};
			type(rows);
			return {
				id,
				name,
				tab: { id: tab.sheetId, name: tab.title },
				rows: () => trimmed(tab.cells),
				type,
			};
		},
		files: () => [...spreadsheets].map(([id, { name }]) => ({ id, name })),
		rejectWrites: (times) => {
			rejectedWrites = times;
		},
	};
}

function setCell(tab: Tab, row: number, column: number, value: Cell): void {
	if (row >= tab.rowCount || column >= tab.columnCount) {
		throw new Error(`${columnLetters(column)}${row + 1} exceeds the grid limits of ${tab.title}`);
	}
	while (tab.cells.length <= row) tab.cells.push([]);
	const cells = tab.cells[row] ?? [];
	while (cells.length < column) cells.push('');
	cells[column] = value;
}

/** Google returns neither the empty cells at the end of a row, nor the empty rows at the end of a range. */
function trimmed(rows: readonly Cell[][]): Cell[][] {
	const short = rows.map((row) => row.slice(0, row.findLastIndex((cell) => cell !== '') + 1));
	return short.slice(0, short.findLastIndex((row) => row.length > 0) + 1);
}

/** Google shows a date in the style of the country of the spreadsheet, at first the United States. */
function dateText({ date }: DateCell): string {
	const [year, month, day] = date.split('-').map(Number);
	return `${month}/${day}/${year}`;
}

/** The number that Google keeps for a date: days after 1899-12-30. */
const serialNumber = ({ date }: DateCell) => (Date.parse(date) - Date.UTC(1899, 11, 30)) / 86_400_000;

const formatted = (cell: Exclude<Cell, DateCell>) =>
	typeof cell === 'boolean' ? String(cell).toUpperCase() : String(cell);

/**
 * Reads a value as Google does when a person types it: a text of digits becomes a number, and `+233...` loses its plus.
 * @throws Error if it is a formula, or if the request does not say how to read it
 */
function enter(value: Cell, option: string): Cell {
	if (option === 'RAW') return value;
	if (option !== 'USER_ENTERED') throw new Error(`Google rejects the valueInputOption "${option}"`);
	if (typeof value !== 'string') return value;
	if (/^[+-]?\d+(\.\d+)?$/.test(value)) return Number(value);
	if (/^[=+]/.test(value)) throw new Error(`Google would read this as a formula: ${value}`);
	return value;
}
