import { z } from 'zod/v4';
import { RELAY_VERSION } from '../version';
import { event } from './examples';
import { GATEWAY_COMPONENTS, gatewayPaths } from './gatewayOpenApi';
import { ROUTES, type Route, type RouteResponse } from './routes';
import { errorSchema, eventSchema } from './schemas';

type Json = Record<string, unknown>;

/** What each error means, with an example of its `code` and `message`. */
const ERRORS: Readonly<Record<number, readonly [description: string, code: string, message: string]>> = {
	400: [
		'The body does not match its content encoding',
		'invalid',
		'The body does not match its content encoding. Send it complete, or without Content-Encoding.',
	],
	401: ['The token is missing, wrong or revoked', 'unauthorized', 'The relay token is missing, wrong or revoked.'],
	403: ['The token is not an admin token', 'forbidden', 'This needs an admin token.'],
	404: ['It does not exist, or belongs to another token', 'not_found', 'This subscription does not exist.'],
	409: ['It conflicts with the current state', 'conflict', 'This reference belongs to another token.'],
	413: ['The body is larger than 256 KB', 'too_large', 'The body is larger than 256 KB.'],
	415: [
		'The content type, the character set or the content encoding is not accepted',
		'unsupported_media_type',
		'The body is not JSON.',
	],
	422: ['A field is wrong, or a URL is not allowed', 'url_needs_https', 'The URL uses http. Enter an https URL.'],
	503: [
		'The database cannot be used now. Try again after Retry-After',
		'unavailable',
		'The database cannot be used now.',
	],
};

/**
 * Makes the OpenAPI 3.1 document of the relay from its schemas.
 * @param server the base URL of the relay; without it, a variable for it
 */
export function relayOpenApi(server?: string): Json {
	return {
		openapi: '3.1.0',
		info: {
			title: 'Relay of Messaging Service',
			version: RELAY_VERSION,
			description: 'Generated from the schemas of the relay. Responses may have fields that are not listed.',
			license: { name: 'MIT', identifier: 'MIT' },
		},
		servers: [
			server === undefined
				? { url: 'https://{host}', variables: { host: { default: 'relay.example.com' } } }
				: { url: server },
		],
		security: [{ token: [] }],
		paths: { ...paths(), ...gatewayPaths() },
		webhooks: { delivery: { post: delivery() } },
		components: {
			...GATEWAY_COMPONENTS,
			securitySchemes: {
				token: { type: 'http', scheme: 'bearer', description: 'A token of the relay, rly_...' },
				...GATEWAY_COMPONENTS.securitySchemes,
			},
			schemas: { Error: jsonSchema(errorSchema), ...GATEWAY_COMPONENTS.schemas },
		},
	};
}

function paths(): Json {
	const byPath: Record<string, Json> = {};
	for (const route of ROUTES) byPath[route.path] = { ...byPath[route.path], [route.method]: operation(route) };
	return byPath;
}

function operation({ method, path, summary, access, query, body, isIngest, responses, errors = [] }: Route): Json {
	const parameters = [...pathParameters(path), ...(query ? queryParameters(query) : [])];
	const needsDatabase = access !== 'public' || isIngest;
	const statuses = [
		...errors,
		...(access === 'public' ? [] : [401]),
		...(access === 'admin' ? [403] : []),
		...(needsDatabase ? [503] : []),
	];
	const headers = path.startsWith('/v1/') ? VERSION_HEADER : {};
	return {
		operationId: `${method} ${path}`.replaceAll(/[^a-z0-9]+/gi, '_').replace(/_$/, ''),
		summary,
		tags: [path.split('/')[path.startsWith('/v1/') ? 2 : 1]],
		...(access === 'public' && { security: [] }),
		...(access === 'admin' && { description: 'Needs an admin token.' }),
		...(parameters.length > 0 && { parameters }),
		...(body && { requestBody: { required: true, content: content(body) } }),
		...(isIngest && { requestBody: ingestBody() }),
		responses: {
			...Object.fromEntries(Object.entries(responses).map(([status, one]) => [status, response(one, headers)])),
			...Object.fromEntries(statuses.sort().map((status) => [status, errorResponse(status, headers)])),
		},
	};
}

/** Only a relay responds with it, also with errors. */
const VERSION_HEADER: Json = {
	'Relay-Version': { description: 'The version of the relay.', schema: { type: 'string' } },
};

function response({ description, schema, example, type }: RouteResponse, headers: Json): Json {
	return { description, ...headersOf(headers), ...(schema && { content: content({ schema, example }, type) }) };
}

function headersOf(headers: Json): Json {
	return Object.keys(headers).length > 0 ? { headers } : {};
}

function content(
	{ schema, example }: { readonly schema: z.ZodType; readonly example?: unknown },
	type = 'application/json',
): Json {
	return { [type]: { schema: jsonSchema(schema), ...(example !== undefined && { example }) } };
}

function errorResponse(status: number, common: Json): Json {
	const [description = '', code = '', message = ''] = ERRORS[status] ?? [];
	const wait = { 'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } } };
	return {
		description,
		...headersOf({ ...(status === 503 && wait), ...common }),
		content: {
			'application/json': { schema: { $ref: '#/components/schemas/Error' }, example: { error: { code, message } } },
		},
	};
}

/** The service and its gateways decide what they post, and the relay keeps everything. */
function ingestBody(): Json {
	const { data } = event;
	return {
		description: 'An event of the service, up to 256 KB. Other requests are kept as unrecognized.',
		content: Object.fromEntries(
			['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data'].map((type) => [
				type,
				{ schema: { type: 'object' }, example: { message_id: data.message_id, status: data.status, to: data.to } },
			]),
		),
	};
}

function pathParameters(path: string): Json[] {
	return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
		name,
		in: 'path',
		required: true,
		schema: { type: 'string' },
	}));
}

function queryParameters(query: z.ZodType): Json[] {
	const { properties, required = [] } = objectSchema.parse(jsonSchema(query));
	return Object.entries(properties).map(([name, { description, ...schema }]) => ({
		name,
		in: 'query',
		...(description !== undefined && { description }),
		required: required.includes(name),
		schema,
	}));
}

const objectSchema = z.object({
	properties: z.record(z.string(), z.looseObject({ description: z.string().optional() })),
	required: z.array(z.string()).optional(),
});

/** The request that a subscriber gets. */
function delivery(): Json {
	const header = (name: string, description: string) => ({
		name,
		in: 'header',
		required: name !== 'webhook-replay',
		description,
		schema: { type: 'string' },
	});
	return {
		operationId: 'delivery',
		summary: 'Deliver an event to a subscription, signed per Standard Webhooks',
		security: [],
		parameters: [
			header('webhook-id', 'The ID of the event, the same in all attempts. A batch has one of its own.'),
			header('webhook-timestamp', 'When it was sent, in seconds since 1970.'),
			header('webhook-signature', 'v1 and the HMAC-SHA256 of ID, timestamp and body, in base64.'),
			header('webhook-replay', 'How often the event was replayed. Absent if it was not.'),
		],
		requestBody: {
			required: true,
			content: content({ schema: z.union([eventSchema, z.array(eventSchema)]), example: event }),
		},
		responses: {
			'2XX': { description: 'Accepted' },
			'410': { description: 'The subscription is removed' },
			'429': { description: 'Too many requests. The relay waits as long as Retry-After says' },
			default: { description: 'The relay tries again, for three days' },
		},
	};
}

function jsonSchema(schema: z.ZodType): Json {
	// A transform has no schema of its own, so the schema of its input is used.
	const made = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
	delete made.$schema;
	return { ...made };
}
