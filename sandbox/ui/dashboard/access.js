const { baseUrl = '', apiKey = '', currency = '', endpoints = '[]' } = document.body.dataset;

/** The base URL for programs, and the API key of this page's own requests. */
export const access = { baseUrl, apiKey };

/** The wallet's currency, such as GHS. */
export const walletCurrency = currency;

/** Every endpoint of the API: `{id, summary}`. */
export const endpointList = JSON.parse(endpoints);

/** Makes the page send with a new key from now on. Only this page's memory has it. */
export function sendWithKey(secret) {
	access.apiKey = secret;
}
