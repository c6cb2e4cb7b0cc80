/** An answer of n8n that says no. */
export class N8nRefusal extends Error {
	/**
	 * @param {string} call method and path
	 * @param {number} status HTTP status
	 * @param {string} body what n8n answered
	 */
	constructor(call, status, body) {
		super(`n8n answered ${call} with ${status}: ${body.slice(0, 500)}`);
		this.name = 'N8nRefusal';
		this.status = status;
	}
}

async function request(baseUrl, method, path, { body, headers }) {
	const response = await fetch(baseUrl + path, {
		method,
		headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
		body: body === undefined ? undefined : JSON.stringify(body),
	});
	const text = await response.text();
	if (!response.ok) throw new N8nRefusal(`${method} ${path}`, response.status, text);
	return { json: text === '' ? undefined : JSON.parse(text), headers: response.headers };
}

/**
 * Creates n8n's owner, unless there is one.
 *
 * @param {string} baseUrl n8n's address
 * @param {{ email: string, password: string }} login
 * @throws {N8nRefusal}
 */
export async function createOwner(baseUrl, { email, password }) {
	const { json } = await request(baseUrl, 'GET', '/rest/settings', {});
	if (!json.data.userManagement.showSetupOnFirstLoad) return;
	await request(baseUrl, 'POST', '/rest/owner/setup', {
		body: { email, password, firstName: 'Demo', lastName: 'Owner' },
	});
}

/**
 * Logs in to the editor's own API.
 *
 * @param {string} baseUrl n8n's address
 * @param {{ email: string, password: string }} login
 * @returns {Promise<(method: string, path: string, body?: object) => Promise<any>>} calls a path under `/rest` as this
 * user and gives its `data`
 * @throws {N8nRefusal} status 401 when the login is wrong
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
 * Makes a key for n8n's public API that may do all its user may.
 *
 * @param {Awaited<ReturnType<typeof logIn>>} editor a logged-in user
 * @returns {Promise<string>} the key; n8n shows it only this once
 * @throws {N8nRefusal}
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
 * @returns {(method: string, path: string, body?: object) => Promise<any>} calls a path under `/api/v1` and gives the
 * answer's JSON; throws `N8nRefusal`
 */
export function openPublicApi(baseUrl, apiKey) {
	return async (method, path, body) => {
		const { json } = await request(baseUrl, method, `/api/v1${path}`, { body, headers: { 'X-N8N-API-KEY': apiKey } });
		return json;
	};
}
