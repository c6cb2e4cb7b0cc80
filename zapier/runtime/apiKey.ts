import type { BeforeRequestMiddleware, Bundle } from 'zapier-platform-core';
import { authHeaders } from '../../shared';
import { readBaseUrl } from './baseUrl';
import { isBaseUrlRelay } from './baseUrlIsRelay';

type AuthData = Bundle['authData'];

/**
 * Placeholder for the key with which Zapier's core finds out which header carries it, at a URL of its own
 * (`src/auth-template` of zapier-platform-core). Such a request has no key that could leak.
 */
const PLACEHOLDER = /^__placeholder_auth__/;

/**
 * Trims a pasted key or token in the bundle itself. Zapier's core censors the bundle's values in its HTTP log, so it
 * would log a key that was sent in another spelling.
 */
export function trimSecrets(authData: AuthData): void {
	for (const field of ['api_key', 'relay_token']) {
		const pasted = authData[field];
		if (pasted !== undefined) authData[field] = pasted.trim();
	}
}

/** Marks a request to a relay, which must not get the API key even if the relay has the service's origin. */
export const WITHOUT_API_KEY = { withoutApiKey: true } as const;

/**
 * Adds the key's header to requests to the service (docs/api.md#authentication), and keeps a redirect from carrying it
 * elsewhere. Leaves requests to other origins unchanged. Zapier runs it for every request of the app, and to learn how
 * to authenticate the requests of Zapier's own steps.
 */
export const addKey: BeforeRequestMiddleware = (request, _z, { authData }) => {
	trimSecrets(authData);
	const { api_key = '', header } = authData;
	if (request.middlewareData?.withoutApiKey === true) return request;
	if (api_key === '' || !isForService(request.url, authData)) return request;
	const headers = authHeaders(api_key, header === 'Authorization' ? 'Authorization' : 'X-API-Key');
	return { ...request, headers: { ...request.headers, ...headers }, redirect: 'manual' };
};

/**
 * Whether a URL has the origin of the account's base URL. If that is a relay's, it must be below the base URL, because the
 * relay's own API must not get the key.
 */
export function isForService(url: string | undefined, authData: AuthData): boolean {
	const { api_key = '' } = authData;
	if (PLACEHOLDER.test(api_key)) return true;
	const base = readBaseUrl(authData);
	if ('issue' in base || url === undefined || !URL.canParse(url)) return false;
	if (isBaseUrlRelay(authData)) return new URL(url).href.startsWith(base.baseUrl);
	return new URL(url).origin === new URL(base.baseUrl).origin;
}
