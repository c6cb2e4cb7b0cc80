import type { Context } from 'hono';
import { readForm, readJson } from '../http/body';
import type { HonoEnv } from '../http/env';
import { HttpError } from '../http/httpError';

const FORMS = new Set(['application/x-www-form-urlencoded', 'multipart/form-data']);

/** Parses a gateway's webhook, JSON or a form. @throws HttpError 413, 415 or 422 */
export async function parseInbound(c: Context<HonoEnv>): Promise<unknown> {
	const type = c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
	if (type === 'application/json') return await readJson(c.env.incoming);
	if (FORMS.has(type)) return await readForm(c.env.incoming);
	throw new HttpError(
		415,
		'unsupported_media_type',
		`Send JSON or a form, not ${type || 'a body without a content type'}.`,
	);
}

/**
 * Normalizes a sender to E.164, so that its opt-out is found. Some gateways omit the plus sign or write 00. Anything
 * that is no international number stays unchanged.
 */
export function toE164(from: string): string {
	const digits = from.replace(/[\s().-]/g, '').replace(/^00/, '+');
	if (/^[1-9]\d{6,14}$/.test(digits)) return `+${digits}`;
	return digits.startsWith('+') ? digits : from;
}
