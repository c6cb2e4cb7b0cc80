import { dateOf, isDateName, midnightOf } from './dates';

type Row = Readonly<Record<string, unknown>>;

/** An output field of a step. */
interface OutputField {
	readonly key: string;
	readonly type?: string;
}

/** Depth to which a response is searched for dates. */
const MAX_DEPTH = 8;

/**
 * Makes the output of a step from the service's response. Every output field is present, so that mapped fields exist
 * even if the service omits them. Date fields get a time zone for Zapier; other texts stay as they were written. `success` is left out, because the step succeeded.
 * @param fields output fields of the step
 * @param isDate whether a field without a declared type holds a date, by its name
 */
export function toOutput(fields: readonly OutputField[], output: Row, isDate = isDateName): Record<string, unknown> {
	const absent = fields.filter(({ key }) => !key.includes('[]')).map(({ key }) => [key, null] as const);
	const reported = Object.entries(output).filter(([key]) => key !== 'success');
	const moments = new Set(fields.flatMap(({ key, type }) => (type === 'datetime' ? key : [])));
	const dated = reported.map(([key, value]) => {
		const isMoment = moments.has(key);
		return [key, withDates(isMoment ? midnightOf(value) : value, isMoment || isDate(key), 0, isDate)] as const;
	});
	return Object.fromEntries([...absent, ...dated]);
}

/** @param dated whether the value is in a date field, or nested in one */
function withDates(value: unknown, dated: boolean, depth: number, isDate: typeof isDateName): unknown {
	if (typeof value !== 'object' || value === null) return dated ? dateOf(value) : value;
	if (depth === MAX_DEPTH) return value;
	if (Array.isArray(value)) return value.map((part: unknown) => withDates(part, dated, depth + 1, isDate));
	const parts = Object.entries(value).map(
		([key, part]: [string, unknown]) => [key, withDates(part, dated || isDate(key), depth + 1, isDate)] as const,
	);
	return Object.fromEntries(parts);
}
