import { accountRows } from './account';
import { bodyRows } from './bodies';
import { errorRows } from './errors';
import { eventRows } from './events';
import { headings, type Facts, type Finding, type Heading, type Row } from './row';
import { sendingRows } from './sending';

/** A row for every heading. A missing one does not compile. */
const rows: Readonly<Record<Heading, Row>> = {
	...bodyRows,
	...errorRows,
	...sendingRows,
	...accountRows,
	...eventRows,
};

/** A row of the report. */
export interface ReportRow extends Finding {
	readonly heading: Heading;
}

/** Makes the rows of the report, in the order of docs/assumptions.md. */
export function makeRows(facts: Facts): ReportRow[] {
	return headings.map((heading) => ({ heading, ...rows[heading](facts) }));
}
