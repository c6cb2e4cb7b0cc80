/**
 * Formats a time as `YYYY-MM-DD HH:MM:SS` in UTC (docs/api.md#dates-and-times).
 * @param milliseconds since 1970 UTC
 */
export function toTimestamp(milliseconds: number): string {
	return new Date(milliseconds).toISOString().slice(0, 19).replace('T', ' ');
}

/**
 * Parses a time of the service as UTC (docs/api.md#dates-and-times; the time zone is not documented).
 * @returns milliseconds since 1970 UTC
 */
export function fromTimestamp(text: string): number {
	return Date.parse(`${text.replace(' ', 'T')}Z`);
}
