import document from '../docs/openapi.json';

/**
 * The OpenAPI document of the service, with the sandbox as its server.
 * @param baseUrl of the API, with a slash at the end
 */
export function sandboxOpenApi(baseUrl: string): object {
	return { ...document, servers: [{ url: baseUrl.replace(/\/$/, '') }] };
}
