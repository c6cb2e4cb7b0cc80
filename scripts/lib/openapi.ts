import { z } from 'zod/v4';
import { endpoints, events, type Endpoint } from '../../shared';
import { API_SUFFIX } from '../../shared/client/request';
import { version } from '../../package.json';

type Json = Record<string, unknown>;

/** The error responses of every call. The API does not document their fields (docs/api.md#errors). */
const errorResponses = {
	'401': 'Invalid or missing API key',
	'422': 'Validation error, insufficient balance, failed send (no charge), or a recipient who opted out',
	'429': 'Rate limit: try again later, after the time in Retry-After if the response has it',
	'500': 'Server error',
};

/**
 * Makes the OpenAPI 3.1 document of the service from the contract. If the API does not document a response, its schema has
 * the fields that the client reads; a response may have others.
 */
export function openApiDocument(): Json {
	return {
		openapi: '3.1.0',
		info: {
			title: 'Messaging Service',
			version,
			description:
				'Generated from shared/contract. Responses may have fields that are not listed. `x-repeat` says whether a call that may have been accepted can be repeated. `x-charges` says whether an accepted call costs money.',
			license: { name: 'MIT', identifier: 'MIT' },
		},
		servers: [{ url: `https://{host}${API_SUFFIX.slice(0, -1)}`, variables: { host: { default: 'service.example' } } }],
		security: [{ apiKey: [] }, { bearer: [] }],
		paths: paths(),
		webhooks: webhooks(),
		components: {
			securitySchemes: {
				apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
				bearer: { type: 'http', scheme: 'bearer' },
			},
		},
	};
}

function paths(): Json {
	const byPath: Record<string, Json> = {};
	for (const endpoint of endpoints) {
		byPath[endpoint.path] = { ...byPath[endpoint.path], [endpoint.method.toLowerCase()]: operation(endpoint) };
	}
	return byPath;
}

function operation(endpoint: Endpoint): Json {
	const { id, summary, method, path, repeat, charges, errors, example } = endpoint;
	const input = jsonSchema(endpoint.input, 'input');
	const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
	const properties = Object.entries((input.properties ?? {}) as Record<string, Json>);
	const required = (input.required ?? []) as string[];
	const parameters = properties
		.filter(([name]) => method === 'GET' || inPath.includes(name))
		.map(([name, schema]) => ({
			name,
			in: inPath.includes(name) ? 'path' : 'query',
			required: inPath.includes(name) || required.includes(name),
			schema,
		}));
	return {
		operationId: id,
		summary,
		tags: [id.split('.')[0]],
		...(parameters.length > 0 && { parameters }),
		...(method === 'POST' && {
			requestBody: { required: true, content: { 'application/json': { schema: input, example: example.input } } },
		}),
		responses: {
			'200': {
				description: 'Success',
				content: { 'application/json': { schema: jsonSchema(endpoint.output, 'output'), example: example.output } },
			},
			...Object.fromEntries(
				Object.entries({ ...errorResponses, ...(errors.includes('not_found') && { '404': 'Not found' }) }).map(
					([status, description]) => [status, { description }],
				),
			),
		},
		'x-repeat': repeat,
		'x-charges': charges !== false,
	};
}

/**
 * Inbound messages come in either type, the other events as JSON (docs/api.md#inbound-sms-webhook, docs/api.md#callback-url).
 */
const WEBHOOK_TYPES = ['application/json', 'application/x-www-form-urlencoded'];

function webhooks(): Json {
	return Object.fromEntries(
		Object.values(events).map(({ id, summary, payload, example }) => [
			id,
			{
				post: {
					operationId: id,
					summary,
					security: [],
					requestBody: {
						content: Object.fromEntries(
							(id === events.inboundSms.id ? WEBHOOK_TYPES : WEBHOOK_TYPES.slice(0, 1)).map((type) => [
								type,
								{ schema: jsonSchema(payload, 'output'), example },
							]),
						),
					},
					responses: { '200': { description: 'Accepted' } },
				},
			},
		]),
	);
}

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
	const made = z.toJSONSchema(schema, {
		// A transform has no schema, so both sides use the schema of its input.
		io: 'input',
		unrepresentable: 'any',
		override: ({ zodSchema, jsonSchema: part }) => {
			const { def } = zodSchema._zod;
			if (io === 'output' && def.type === 'pipe' && def.in._zod.def.type === 'transform') {
				Object.assign(part, jsonSchema(def.out as z.ZodType, io));
			}
		},
	});
	delete made.$schema;
	return made;
}
