import type { BeforeRequestMiddleware, Bundle } from 'zapier-platform-core';
import { authHeaders, parseBaseUrl } from '../../shared';
import { SANDBOX_OVER_HTTP } from './sandboxOverHttp';

type AuthData = Bundle['authData'];

/**
 * In place of the key, Zapier's core asks with this text which header carries it, at an address of its own
 * (`src/auth-template` of zapier-platform-core). There is no key then that could go anywhere.
 */
const PLACEHOLDER = /^__placeholder_auth__/;

/**
 * Takes the white space off a pasted key, in the bundle itself: Zapier's core takes out of its HTTP log the values that
 * stand there, and would log the key if it were sent in another spelling.
 */
export function trimKey(authData: AuthData): void {
	if (authData.api_key !== undefined) authData.api_key = authData.api_key.trim();
}

/**
 * Adds the header with the key to requests that go to the service, and keeps them from taking it along with a redirect.
 * Requests to any other origin stay as they are. Zapier runs it for every request that the app makes, and to learn how
 * it authenticates the requests of its own steps.
 */
export const addKey: BeforeRequestMiddleware = (request, _z, { authData }) => {
	trimKey(authData);
	const { api_key = '', header } = authData;
	if (api_key === '' || !isForService(request.url, authData)) return request;
	const headers = authHeaders(api_key, header === 'Authorization' ? 'Authorization' : 'X-API-Key');
	return { ...request, headers: { ...request.headers, ...headers }, redirect: 'manual' };
};

/** Whether a URL has the origin of the account's base URL. */
export function isForService(url: string | undefined, { base_url = '', api_key = '' }: AuthData): boolean {
	if (PLACEHOLDER.test(api_key)) return true;
	const base = parseBaseUrl(base_url, api_key, { sandboxOverHttp: SANDBOX_OVER_HTTP });
	if ('issue' in base || url === undefined || !URL.canParse(url)) return false;
	return new URL(url).origin === new URL(base.baseUrl).origin;
}
