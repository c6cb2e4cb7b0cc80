import { Hono } from 'hono';
import parsePhoneNumber from 'libphonenumber-js/max';
import type { HonoEnv } from '../http/env';

/** Country of numbers without a country code. */
const COUNTRY = 'GH';

/** A phone number as a person typed it. */
export interface TypedNumber {
	/** In E.164; null if it is no phone number. */
	readonly number: string | null;
}

/** `GET numbers/:typed` reads a phone number as people write it, such as `020 123 4567`. */
export function numberRoutes(): Hono<HonoEnv> {
	const routes = new Hono<HonoEnv>();
	routes.get('/numbers/:typed', (c) => {
		const found: TypedNumber = { number: readNumber(c.req.param('typed')) ?? null };
		return c.json(found);
	});
	return routes;
}

/**
 * Replaces a phone number in a form's values by its E.164 form. The API itself is strict (docs/api.md#phone-numbers).
 * @returns the body unchanged if it has no such number, so that its check can say why
 */
export function withNumber(body: unknown, name: string): unknown {
	if (typeof body !== 'object' || body === null) return body;
	const typed: unknown = Reflect.get(body, name);
	const number = typeof typed === 'string' ? readNumber(typed) : undefined;
	return number === undefined ? body : { ...body, [name]: number };
}

/** Reads a phone number as people write it. @returns undefined if it is none, or has an extension */
export function readNumber(typed: string): string | undefined {
	// The sandbox accepts any number in E.164, also of a country or range that does not exist.
	const plain = typed.replace(/[\s().-]/g, '');
	if (/^\+[1-9]\d{6,14}$/.test(plain)) return plain;
	const found = parsePhoneNumber(typed, { defaultCountry: COUNTRY, extract: false });
	return found?.isPossible() && found.ext === undefined ? found.number : undefined;
}
