import { z } from 'zod/v4';
import type { Endpoint } from './endpoint';

/** JSON of an OpenAPI document. */
type Json = Record<string, unknown>;

/**
 * A call in an OpenAPI 3.1 document.
 * @example const tagsOf = ({ tags }: OpenApiOperation) => tags;
 */
export interface OpenApiOperation extends Json {
	readonly operationId: string;
	readonly tags: readonly string[];
	readonly parameters?: readonly Json[];
	/** By status. */
	readonly responses: Readonly<Record<string, Json>>;
}

/** The error responses of every call. The API does not document their fields (docs/api.md#errors). */
const ERRORS = {
	'401': 'Invalid or missing API key',
	'422': 'Validation error, insufficient balance, failed send (no charge), or a recipient who opted out',
	'429': 'Rate limit: try again later, after the time in Retry-After if the response has it',
	'500': 'Server error',
};

/**
 * Describes an endpoint as a call of an OpenAPI 3.1 document. If the API does not document a response, its schema has the
 * fields that the client reads; a response may have others.
 * @example openApiOperation(contract.sms.send).operationId // 'sms.send'
 */
export function openApiOperation(endpoint: Endpoint): OpenApiOperation {
	const { id, summary, method, path, repeat, charges, errors, example } = endpoint;
	const input = openApiSchema(endpoint.input, 'input');
	const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
	const { properties, required } = objectSchema.parse(input);
	const parameters = Object.entries(properties)
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
		tags: id.split('.').slice(0, 1),
		...(parameters.length > 0 && { parameters }),
		...(method === 'POST' && {
			requestBody: { required: true, content: { 'application/json': { schema: input, example: example.input } } },
		}),
		responses: {
			'200': {
				description: 'Success',
				content: { 'application/json': { schema: openApiSchema(endpoint.output, 'output'), example: example.output } },
			},
			...Object.fromEntries(
				Object.entries({ ...ERRORS, ...(errors.includes('not_found') && { '404': 'Not found' }) }).map(
					([status, description]) => [status, { description }],
				),
			),
		},
		'x-repeat': repeat,
		'x-charges': charges !== false,
	};
}

const objectSchema = z.object({
	properties: z.record(z.string(), z.unknown()).default({}),
	required: z.array(z.string()).default([]),
});

/**
 * Describes a schema as JSON Schema.
 * @param io a response is described after its transforms
 * @example openApiSchema(contract.sms.send.input, 'input')
 */
export function openApiSchema(schema: z.core.$ZodType, io: 'input' | 'output'): Json {
	const made = z.toJSONSchema(schema, {
		// A transform has no schema, so both sides use the schema of its input.
		io: 'input',
		unrepresentable: 'any',
		override: ({ zodSchema, jsonSchema: part }) => {
			const { def } = zodSchema._zod;
			if (io === 'output' && def.type === 'pipe' && def.in._zod.def.type === 'transform') {
				Object.assign(part, openApiSchema(def.out, io));
			}
		},
	});
	delete made.$schema;
	return { ...made };
}
