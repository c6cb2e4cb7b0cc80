import { endpoints, events, openApiOperation, openApiSchema } from '../../shared';
import { API_SUFFIX } from '../../shared/client/request';
import { version } from '../../package.json';

type Json = Record<string, unknown>;

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
		byPath[endpoint.path] = { ...byPath[endpoint.path], [endpoint.method.toLowerCase()]: openApiOperation(endpoint) };
	}
	return byPath;
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
								{ schema: openApiSchema(payload, 'output'), example },
							]),
						),
					},
					responses: { '200': { description: 'Accepted' } },
				},
			},
		]),
	);
}
