import { contract, endpoints, openApiOperation, type Endpoint, type OpenApiOperation } from '../../shared/index';
import { CALL_ATTEMPT } from '../sends/callAttempt';
import { GATEWAY_ERRORS, gatewayErrorsFor } from '../sends/errors';
import { KEY_MAX_AGE } from '../sends/keyAge';
import { MOVED_FROM } from '../sends/movedFrom';
import { addedSchema, idempotencyKeysSchema } from '../sends/schema';

type Json = Record<string, unknown>;

const ERROR_REF = { $ref: '#/components/schemas/GatewayError' };

const header = (description: string, schema: Json) => ({ description, schema });

/** Shared parts of the calls below `/api/v1`, for the `components` of the document. */
export const GATEWAY_COMPONENTS = {
	securitySchemes: {
		apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'The API key of the service.' },
		apiKeyBearer: { type: 'http', scheme: 'bearer', description: 'The same API key.' },
	},
	parameters: {
		IdempotencyKey: {
			...{ name: 'Idempotency-Key', in: 'header', required: false },
			description:
				'1 to 255 visible ASCII characters, quoted or bare. The relay forwards one call with it. A second quoted key belongs to the recipient.',
			schema: { type: 'string' },
			example: '"order-1234"',
		},
		RelayAttempt: {
			...{ name: 'Relay-Attempt', in: 'header', required: false },
			description: 'The number of the attempt, and an ID that all attempts of a call share.',
			schema: { type: 'string', pattern: CALL_ATTEMPT.source },
			example: '2;call="a1b2"',
		},
		RelayKeyMaxAge: {
			...{ name: 'Relay-Key-Max-Age', in: 'header', required: false },
			description:
				'Seconds. The idempotency key is free again if the send of another call claimed it longer ago, with this header. It needs Relay-Attempt.',
			schema: { type: 'string', pattern: KEY_MAX_AGE.source },
			example: '300',
		},
		RelayMovedFrom: {
			...{ name: 'Relay-Moved-From', in: 'header', required: false },
			description:
				'The time that the sender gave, if the caller moved it to schedule_at: now, or a time as in schedule_at. The idempotency key belongs to this time.',
			schema: { type: 'string', pattern: MOVED_FROM.source },
			example: 'now',
		},
	},
	headers: {
		RelayVersion: header('The version of the relay.', { type: 'string' }),
		RelayOutcome: header(
			'The outcome of the message. Without it, this request sent nothing, and the relay does not know about earlier ones.',
			{ type: 'string', enum: ['accepted', 'rejected', 'unknown'] },
		),
		IdempotentReplayed: header('The relay forwarded nothing, because an earlier call has the key.', {
			...{ type: 'string', const: 'true' },
		}),
		RetryAfter: header('Seconds to wait.', { type: 'integer' }),
	},
	schemas: {
		GatewayError: {
			type: 'object',
			description: 'An error of the relay itself.',
			properties: {
				error: {
					type: 'object',
					properties: {
						code: { type: 'string', enum: [...new Set(GATEWAY_ERRORS.map(({ code }) => code))] },
						message: { type: 'string', description: 'What happened and what to do.' },
						field: { type: 'string', description: 'The field at fault.' },
						cause: { type: 'string', description: 'Why the outcome is unknown.' },
						send: { type: 'string', description: 'The ID of the send that a person can settle.' },
					},
					required: ['code', 'message'],
				},
			},
			required: ['error'],
		},
	},
};

/** The calls of the service that pass through the relay, by path. */
export function gatewayPaths(): Readonly<Record<string, Json>> {
	const byPath: Record<string, Json> = {};
	for (const endpoint of endpoints) {
		const path = `/api/v1${endpoint.path}`;
		byPath[path] = { ...byPath[path], [endpoint.method.toLowerCase()]: gatewayOperation(endpoint) };
	}
	return byPath;
}

function gatewayOperation(endpoint: Endpoint): Json {
	const isOnce = endpoint.repeat === 'once';
	const operation = openApiOperation(throughRelay(endpoint));
	const own = [
		...(isOnce ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
		...(isOnce ? [{ $ref: '#/components/parameters/RelayAttempt' }] : []),
		...(isOnce ? [{ $ref: '#/components/parameters/RelayKeyMaxAge' }] : []),
		...(endpoint.id === contract.sms.sendBulk.id ? [{ $ref: '#/components/parameters/RelayMovedFrom' }] : []),
	];
	const parameters = [...(operation.parameters ?? []), ...own];
	return {
		...operation,
		description: 'Forwarded to the service with your API key of the service.',
		tags: ['api'],
		security: [{ apiKey: [] }, { apiKeyBearer: [] }],
		...(parameters.length > 0 && { parameters }),
		responses: responsesOf(operation, endpoint),
	};
}

/** A bulk send has more fields on the way to the relay, and back. */
function throughRelay(endpoint: Endpoint): Endpoint {
	const { id, output } = contract.sms.sendBulk;
	if (endpoint.id !== id) return endpoint;
	return {
		...endpoint,
		input: endpoint.input.extend({ idempotency_keys: idempotencyKeysSchema.optional() }),
		output: output.extend({ relay: addedSchema.optional() }),
	};
}

/** The service and the relay may respond with the same status. */
function responsesOf({ responses }: OpenApiOperation, { repeat }: Endpoint): Json {
	const errors = Map.groupBy(gatewayErrorsFor(repeat), ({ status }) => String(status));
	const statuses = [...new Set([...Object.keys(responses), ...errors.keys()])].sort();
	return Object.fromEntries(
		statuses.map((status) => {
			const ofService = responses[status];
			const ofRelay = errors.get(status) ?? [];
			const words = [
				...(ofService ? [String(ofService.description)] : []),
				...ofRelay.map(({ code, meaning }) => `\`${code}\`: ${meaning}`),
			];
			const schema = ofService ? { anyOf: [ERROR_REF, { description: 'The error of the service.' }] } : ERROR_REF;
			return [
				status,
				{
					...ofService,
					description: words.map((text) => `${text}.`).join(' '),
					headers: headersOf(status, repeat),
					...(ofRelay.length > 0 && { content: { 'application/json': { schema } } }),
				},
			];
		}),
	);
}

const WAITS: ReadonlySet<string> = new Set(['409', '429', '503']);

function headersOf(status: string, repeat: Endpoint['repeat']): Json {
	const ref = (name: keyof typeof GATEWAY_COMPONENTS.headers) => ({ $ref: `#/components/headers/${name}` });
	return {
		'Relay-Version': ref('RelayVersion'),
		'Relay-Outcome': ref('RelayOutcome'),
		...(repeat === 'once' &&
			(status === '200' || status === '502') && { 'Idempotent-Replayed': ref('IdempotentReplayed') }),
		...(WAITS.has(status) && { 'Retry-After': ref('RetryAfter') }),
	};
}
