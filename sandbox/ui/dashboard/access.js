const { baseUrl = '', apiKey = '', endpoints = '[]' } = document.body.dataset;

/** How programs reach the API, and the key that this page itself sends with. */
export const access = { baseUrl, apiKey };

/** Every call that the service takes: `{id, summary}`. */
export const endpointList = JSON.parse(endpoints);

/** Makes the page send with a new key from now on; it is kept nowhere but in this page's memory. */
export function sendWithKey(secret) {
	access.apiKey = secret;
}
