import { dateOf, isDateName, midnightOf, parseMoment } from './dates';

type Row = Readonly<Record<string, unknown>>;

/** An output field of a step. */
interface OutputField {
	readonly key: string;
	readonly type?: string;
}

/** How deep dates are looked for in what the service responds. */
const DEEPEST = 8;

/**
 * Makes a result of a step: what the service gave, with every output field there, so that what people map has a place
 * even where the service leaves it out, and with dates that Zapier reads right. A step that succeeded need not say so.
 * @param fields output fields of the step
 */
export function toOutput(fields: readonly OutputField[], output: Row): Record<string, unknown> {
	const absent = fields.filter(({ key }) => !key.includes('[]')).map(({ key }) => [key, null] as const);
	const reported = Object.entries(output).filter(([key]) => key !== 'success');
	const moments = new Set(fields.flatMap(({ key, type }) => (type === 'datetime' ? key : [])));
	const dated = reported.map(([key, value]) => {
		const isMoment = moments.has(key);
		return [key, withDates(isMoment ? midnightOf(value) : value, isMoment || isDateName(key), 0)] as const;
	});
	return Object.fromEntries([...absent, ...dated]);
}

/** @param isDate whether the value stands in a field for a date, or below one */
function withDates(value: unknown, isDate: boolean, depth: number): unknown {
	if (typeof value !== 'object' || value === null) return isDate ? dateOf(value) : (parseMoment(value) ?? value);
	if (depth === DEEPEST) return value;
	if (Array.isArray(value)) return value.map((part: unknown) => withDates(part, isDate, depth + 1));
	const parts = Object.entries(value).map(
		([key, part]: [string, unknown]) => [key, withDates(part, isDate || isDateName(key), depth + 1)] as const,
	);
	return Object.fromEntries(parts);
}
