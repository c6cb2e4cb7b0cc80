import { z, type ZodType } from 'zod/v4';
import { isObject, type Aliases, type JsonObject } from './find';

/**
 * Creates the schema of a list that is read row by row. A row that cannot be read is left out. A list without a single
 * readable row is rejected, unless it is empty.
 * @param row schema of one row
 * @param read makes a row from an entry of the list; undefined if that is not possible
 */
export function listOf<Row extends ZodType>(row: Row, read: (entry: unknown) => unknown) {
	return z.preprocess((entries) => {
		if (!Array.isArray(entries)) return entries;
		const rows = entries.map(read).filter((entry) => entry !== undefined && row.safeParse(entry).success);
		return rows.length === 0 && entries.length > 0 ? undefined : rows;
	}, z.array(row));
}

/**
 * Reads the fields of a row by their names and aliases. A field whose value cannot be read is null. Fields that are not
 * in the shape pass through.
 * @param shape schemas by key; each must accept a missing value
 * @param aliases other names by key, as dotted paths; case, spaces, `_` and `-` in them do not matter
 */
export function readRow(row: JsonObject, shape: Readonly<Record<string, ZodType>>, aliases: Aliases): JsonObject {
	// Assigned as a key, `__proto__` would set the prototype, whose fields would then count as the row's.
	const found = Object.fromEntries(Object.entries(row).filter(([key]) => key !== '__proto__'));
	const fields = fieldsOf(row);
	for (const key of Object.keys(shape)) {
		const places = [key, ...(aliases[key] ?? [])];
		const value = places.map((place) => valueAt(fields, place)).find((there) => isReadable(shape[key], there));
		if (value !== undefined) found[key] = value;
		else if (Object.hasOwn(found, key)) found[key] = null;
	}
	return found;
}

/** Finds the first value under one of these names that the schema accepts, and parses it; see {@link readRow}. */
export function readField<Value>(
	row: JsonObject,
	schema: ZodType<Value>,
	places: readonly string[],
): Value | undefined {
	const fields = fieldsOf(row);
	const values = places.map((place) => valueAt(fields, place)).filter((value) => !isNothing(value));
	return values.map((value) => schema.safeParse(value)).find(({ success }) => success)?.data;
}

/** The fields of a row, by exact name, or else by plain name. If two plain names are equal, the first field counts. */
interface Fields {
	readonly row: JsonObject;
	plain?: Map<string, unknown>;
}

function fieldsOf(row: JsonObject): Fields {
	return { row };
}

function valueAt(fields: Fields, place: string): unknown {
	const [name = '', ...inner] = place.split('.');
	const value = Object.hasOwn(fields.row, name) ? fields.row[name] : plainFieldsOf(fields).get(plain(name));
	if (inner.length === 0) return value;
	return isObject(value) ? valueAt(fieldsOf(value), inner.join('.')) : undefined;
}

function plainFieldsOf(fields: Fields): Map<string, unknown> {
	fields.plain ??= new Map(
		Object.entries(fields.row)
			.reverse()
			.map(([key, value]) => [plain(key), value]),
	);
	return fields.plain;
}

function plain(key: string): string {
	return key.replace(/[\s_-]/g, '').toLowerCase();
}

function isReadable(schema: ZodType | undefined, value: unknown): boolean {
	return !isNothing(value) && schema?.safeParse(value).success === true;
}

function isNothing(value: unknown): boolean {
	return value === undefined || value === null || value === '';
}
