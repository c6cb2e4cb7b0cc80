import type { Context } from 'hono';
import type { Endpoint } from '../../shared/contract/endpoint';
import { MAX_BODY_BYTES, MAX_BULK_BODY_BYTES, readBody } from './body';
import type { HonoEnv } from './env';
import { HttpError } from './httpError';
import { parseRequestJson } from './parse';
import { keptPart, type RequestLogEntry } from './requestLog';

/**
 * Collects an endpoint's input: keys of the path with those of the query or the body.
 * @param entry gets the body
 * @throws HttpError 413 if the body is too long, 422 if it is not a JSON object
 */
export async function readInput(
	c: Context<HonoEnv>,
	endpoint: Endpoint,
	entry: RequestLogEntry,
): Promise<Record<string, unknown>> {
	if (endpoint.method === 'GET') return { ...readQuery(endpoint, c.req.query()), ...c.req.param() };
	const most = endpoint.id === 'sms.sendBulk' ? MAX_BULK_BODY_BYTES : MAX_BODY_BYTES;
	const text = (await readBody(c.env.incoming, most)).toString('utf8');
	entry.requestBody = keptPart(text);
	const body = parseRequestJson(text);
	if (typeof body !== 'object' || body === null || Array.isArray(body)) {
		throw new HttpError(422, 'validation', 'The body is not a JSON object.');
	}
	return { ...body, ...c.req.param() };
}

/** A query only has strings, so fields that the contract declares as numbers are converted. */
function readQuery({ input }: Endpoint, query: Readonly<Record<string, string>>): Record<string, unknown> {
	const issues = input.safeParse(query).error?.issues ?? [];
	const numbers = new Set(
		issues
			.filter((issue) => issue.code === 'invalid_type' && issue.expected === 'number')
			.map((issue) => issue.path.join('.')),
	);
	return Object.fromEntries(
		Object.entries(query).map(([name, text]) => {
			return [name, numbers.has(name) && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text];
		}),
	);
}
