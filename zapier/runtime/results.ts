type Row = Readonly<Record<string, unknown>>;

/**
 * Makes a result of a step: what the service gave, with every output field there, so that what people map has a place
 * even where the service leaves it out, and with dates that Zapier reads right. A step that succeeded need not say so.
 * @param fields output fields of the step
 */
export function toResult(fields: readonly { readonly key: string }[], output: Row): Record<string, unknown> {
	const absent = fields.filter(({ key }) => !key.includes('[]')).map(({ key }) => [key, null] as const);
	const told = Object.entries(output).filter(([key]) => key !== 'success');
	const zoned = told.map(([key, value]) => [key, withZone(value)] as const);
	return Object.fromEntries([...absent, ...zoned]);
}

/** Zapier would take a date without a zone to be in the zone of the person; the service's clock is that of Ghana, UTC. */
function withZone(value: unknown): unknown {
	const wire = typeof value === 'string' && /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(value);
	return wire ? `${value.replace(' ', 'T')}Z` : value;
}
