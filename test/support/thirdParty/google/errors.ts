import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';

/**
 * Responds as Google's APIs do to a request that they reject.
 * @param status of HTTP
 * @param reason Google's own word for it, such as `NOT_FOUND`
 */
export function googleError(c: Context, status: ContentfulStatusCode, reason: string, message: string): Response {
	return c.json({ error: { code: status, message, status: reason } }, status);
}
