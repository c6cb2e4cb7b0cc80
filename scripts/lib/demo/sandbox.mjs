/** The paths of relays' URLs for events. */
const ingestPath = /^\/in\/[\w-]+$/;

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
 * Sets the URLs that the sandbox sends its events to. A callback URL that the user entered stays.
 *
 * @param {string} sandboxUrl the sandbox's address
 * @param {{ inboundUrl?: string, callbackUrl: string }} urls for the messages of simulated phones, and for receipts and
 * alerts. Without `inboundUrl`, it stays as it is
 * @throws {Error} if the sandbox rejects the request
 */
export async function connectSandbox(sandboxUrl, { inboundUrl, callbackUrl }) {
	const { callback_url: known } = await settings(sandboxUrl, 'GET');
	// The URL of an earlier start may have another port.
	const isOurs = known === null || ingestPath.test(new URL(known).pathname);
	await settings(sandboxUrl, 'PUT', {
		...(inboundUrl && { inbound_url: inboundUrl, inbound_format: 'form' }),
		...(isOurs && { callback_url: callbackUrl }),
	});
}
