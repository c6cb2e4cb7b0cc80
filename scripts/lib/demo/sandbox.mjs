/** The paths of relays' URLs for events. */
const ingestPath = /^\/in\/[\w-]+(\/whatsapp)?$/;

/**
 * @param {string} sandboxUrl
 * @param {string} method
 * @param {object} [body]
 */
async function settings(sandboxUrl, method, body) {
	const response = await fetch(`${sandboxUrl}/_sandbox/settings`, {
		method,
		...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
	});
	if (response.ok) return await response.json();
	throw new Error(
		`The sandbox responded to ${method} /_sandbox/settings with ${response.status}: ${await response.text()}`,
	);
}

/**
 * Whether the user has not entered another URL. One of an earlier start may have another port.
 *
 * @param {string | null} url
 * @returns {boolean}
 */
const isOurs = (url) => url === null || ingestPath.test(new URL(url).pathname);

/**
 * Sets the URLs that the sandbox sends its events to. Relay URLs replace none that the user entered.
 *
 * @param {string} sandboxUrl the sandbox's address
 * @param {{ ingest: string, inboundUrl?: string }} urls `ingest` is the relay's URL for events. `inboundUrl` is for the
 * SMS of simulated phones. Without it, theirs stays as it is
 * @throws {Error} if the sandbox rejects the request
 */
export async function connectSandbox(sandboxUrl, { ingest, inboundUrl }) {
	const { callback_url: callback, whatsapp_inbound_url: whatsapp } = await settings(sandboxUrl, 'GET');
	await settings(sandboxUrl, 'PUT', {
		...(inboundUrl && { inbound_url: inboundUrl, inbound_format: 'form' }),
		...(isOurs(callback) && { callback_url: ingest }),
		...(isOurs(whatsapp) && { whatsapp_inbound_url: `${ingest}/whatsapp` }),
	});
}
