/** Statuses of the sandbox's errors (docs/api.md#errors; the others are plain HTTP). */
export type HttpErrorStatus = 401 | 403 | 404 | 405 | 413 | 415 | 422 | 429 | 500;

/** Ends a request with an error body (docs/api.md#error-bodies). The field names are the sandbox's choice. */
export class HttpError extends Error {
	override readonly name = 'HttpError';

	constructor(
		readonly status: HttpErrorStatus,
		/** Machine-readable code. */
		readonly code: string,
		/** Shown to users, unchanged. */
		message: string,
		readonly headers: Readonly<Record<string, string>> = {},
	) {
		super(message);
	}
}
