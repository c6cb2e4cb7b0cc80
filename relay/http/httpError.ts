import type { ContentfulStatusCode } from 'hono/utils/http-status';

/** A response other than success. */
export class HttpError extends Error {
	override readonly name = 'HttpError';

	/**
	 * @param code for programs
	 * @param message says what happened and what to do
	 * @param field the field at fault
	 */
	constructor(
		readonly status: ContentfulStatusCode,
		readonly code: string,
		message: string,
		readonly field?: string,
	) {
		super(message);
	}
}
