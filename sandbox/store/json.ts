import { z } from 'zod/v4';

/** Schema of a column that holds JSON. */
export function jsonColumn<Schema extends z.ZodType>(schema: Schema) {
	return z
		.string()
		.transform((text): unknown => JSON.parse(text))
		.pipe(schema);
}
