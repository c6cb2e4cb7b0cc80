import { waitUntil } from '../process/wait-until.mjs';

/** @typedef {import('./state.mjs').DemoState} DemoState */
/** @typedef {{ url: string, types: string[], state: string }} Subscription */
/**
 * Calls the relay's API, and returns the JSON of its response.
 *
 * @typedef {(method: string, path: string, body?: object) => Promise<any>} RelayApi
 */

/**
 * The settings of the demo's relay. It forwards inbound messages to the sandbox, and may deliver to this machine.
 *
 * @param {DemoState} state
 * @param {string} sandboxUrl the sandbox's address
 * @returns {Record<string, string>} RELAY_ variables
 */
export function relaySettings({ relay }, sandboxUrl) {
	return {
		RELAY_TOKEN: relay.token,
		RELAY_INGEST_SECRET: relay.ingestSecret,
		RELAY_SERVICE_URL: `${sandboxUrl}/api/v1/`,
		RELAY_ALLOW: '127.0.0.1',
	};
}

/**
 * Opens the relay's API.
 *
 * @param {string} url the relay's address
 * @param {string} token
 * @returns {RelayApi} throws an Error unless the response is a 2xx
 */
export function openRelayApi(url, token) {
	return async (method, path, body) => {
		const response = await fetch(`${url}/v1${path}`, {
			method,
			headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
			...(body && { body: JSON.stringify(body) }),
		});
		if (response.ok) return await response.json();
		throw new Error(`The relay responded to ${method} ${path} with ${response.status}: ${await response.text()}`);
	};
}

/**
 * Creates a token for n8n at the first start.
 *
 * @param {RelayApi} api
 * @param {DemoState} state gets the token
 * @param {() => void} save writes `state`
 * @returns {Promise<string>}
 */
export async function ensureN8nToken(api, state, save) {
	if (state.relay.n8nToken) return state.relay.n8nToken;
	const { token } = await api('POST', '/tokens', { name: 'n8n of npm start', kind: 'n8n' });
	state.relay.n8nToken = token;
	save();
	return token;
}

/**
 * Whether a trigger is registered at the relay with its present URL. The ports may have changed since the last start.
 *
 * @param {RelayApi} api
 * @param {string} webhookUrl the trigger's URL
 * @returns {Promise<boolean>}
 */
export async function isRegistered(api, webhookUrl) {
	/** @type {{ data: Subscription[] }} */
	const { data } = await api('GET', '/subscriptions');
	return data.some(({ url, state }) => url === webhookUrl && state !== 'leaving');
}

/**
 * Waits until a trigger is registered at the relay.
 *
 * @param {RelayApi} api
 * @param {string} webhookUrl the trigger's URL
 * @throws {Error} after half a minute
 */
export async function waitForRegistration(api, webhookUrl) {
	const what = 'the trigger’s registration at the relay. The reason may be in n8n’s log';
	await waitUntil(what, () => isRegistered(api, webhookUrl), { withinMs: 30_000 });
}
