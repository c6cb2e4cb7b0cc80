import type { Bundle } from 'zapier-platform-core';
import { parseBaseUrl } from '../../shared';
import { EDITION, type Edition } from './edition';

/**
 * Reads the Base URL of a connection, as the client does, within the limits of this copy of the app.
 *
 * @returns the base URL with a slash at its end, or the issue with the correction to make
 */
export function readBaseUrl(
	{ base_url = '', api_key = '' }: Bundle['authData'],
	{ plainHttp, onlyHost }: Edition = EDITION,
): ReturnType<typeof parseBaseUrl> {
	const parsed = parseBaseUrl(base_url, api_key, { sandboxOverHttp: plainHttp === 'sandbox' });
	if ('issue' in parsed) return parsed;
	const { protocol, host } = new URL(parsed.baseUrl);
	const reject = (message: string) => ({ issue: { field: 'baseUrl', message } });
	if (onlyHost !== undefined && host !== onlyHost) {
		return reject(`must be https://${onlyHost}/api/v1/: this app connects to no other host`);
	}
	if (plainHttp === 'nowhere' && protocol === 'http:') {
		return reject('is plain http, which this app does not allow: use https://');
	}
	return parsed;
}
