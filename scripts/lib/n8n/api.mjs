/** An error response of n8n. */
export class N8nApiError extends Error {
	/**
	 * @param {string} call method and path
	 * @param {number} status HTTP status
	 * @param {string} body the response's text
	 */
	constructor(call, status, body) {
		super(`n8n responded to ${call} with ${status}: ${body.slice(0, 500)}`);
		this.name = 'N8nApiError';
		this.status = status;
	}
}

/**
 * @param {string} baseUrl
 * @param {string} method
 * @param {string} path
 * @param {{ body?: object, headers?: Record<string, string> }} content
 */
async function request(baseUrl, method, path, { body, headers }) {
	const response = await fetch(baseUrl + path, {
		method,
		headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
		body: body === undefined ? undefined : JSON.stringify(body),
	});
	const text = await response.text();
	if (!response.ok) throw new N8nApiError(`${method} ${path}`, response.status, text);
	return { json: text === '' ? undefined : JSON.parse(text), headers: response.headers };
}

/**
 * Creates n8n's owner, unless it exists.
 *
 * @param {string} baseUrl n8n's address
 * @param {{ email: string, password: string }} login
 * @throws {N8nApiError}
 */
export async function createOwner(baseUrl, { email, password }) {
	const { json } = await request(baseUrl, 'GET', '/rest/settings', {});
	if (!json.data.userManagement.showSetupOnFirstLoad) return;
	await request(baseUrl, 'POST', '/rest/owner/setup', {
		body: { email, password, firstName: 'Demo', lastName: 'Owner' },
	});
}

/**
 * Logs in to the API of n8n's editor.
 *
 * @param {string} baseUrl n8n's address
 * @param {{ email: string, password: string }} login
 * @returns {Promise<(method: string, path: string, body?: object) => Promise<any>>} calls a path under `/rest` as this
 * user and returns its `data`
 * @throws {N8nApiError} status 401 if the login is wrong
 */
export async function logIn(baseUrl, { email, password }) {
	const { headers } = await request(baseUrl, 'POST', '/rest/login', {
		body: { emailOrLdapLoginId: email, password },
	});
	const cookie = headers
		.getSetCookie()
		.map((line) => line.split(';')[0])
		.join('; ');
	return async (method, path, body) => {
		const { json } = await request(baseUrl, method, `/rest${path}`, { body, headers: { cookie } });
		return json.data;
	};
}

/**
 * Creates a key for n8n's public API with all permissions of its user.
 *
 * @param {Awaited<ReturnType<typeof logIn>>} editor a logged-in user
 * @returns {Promise<string>} the key, which n8n shows only once
 * @throws {N8nApiError}
 */
export async function createApiKey(editor) {
	const scopes = await editor('GET', '/api-keys/scopes');
	const label = `npm start ${new Date().toISOString()}`;
	const { rawApiKey } = await editor('POST', '/api-keys', { label, expiresAt: null, scopes });
	return rawApiKey;
}

/**
 * Opens n8n's public API.
 *
 * @param {string} baseUrl n8n's address
 * @param {string} apiKey
 * @returns {(method: string, path: string, body?: object) => Promise<any>} calls a path under `/api/v1` and returns the
 * response's JSON; throws `N8nApiError`
 */
export function openPublicApi(baseUrl, apiKey) {
	return async (method, path, body) => {
		const { json } = await request(baseUrl, method, `/api/v1${path}`, { body, headers: { 'X-N8N-API-KEY': apiKey } });
		return json;
	};
}
