/** Most bytes that a poll returns. Zapier accepts 6 MB. */
const MAX_BYTES = 4_000_000;

/** The newest rows that fit in one response. Rows left out now stay out later, because newer rows come first. */
export function withinSize<Row>(rows: readonly Row[]): Row[] {
	let bytes = 0;
	const tooMuch = rows.findIndex((row) => (bytes += Buffer.byteLength(JSON.stringify(row)) + 1) > MAX_BYTES);
	return rows.slice(0, tooMuch < 0 ? undefined : tooMuch);
}
