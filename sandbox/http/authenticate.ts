import type { IncomingHttpHeaders } from 'node:http';
import { type ApiKey, KEY_PREFIX, type Keys } from '../store/keys';
import { HttpError } from './httpError';

const CHALLENGE = { 'www-authenticate': 'Bearer realm="Messaging Service sandbox"' };

/**
 * Checks the API key in `X-API-Key` or `Authorization: Bearer` (docs/api.md#authentication).
 * @returns the matching key
 * @throws HttpError 401 `invalid_key`; the message never repeats the given key
 */
export function authenticate(headers: IncomingHttpHeaders, keys: Keys): ApiKey {
	const sent = headers['x-api-key'] ?? /^bearer\s+(.*)$/i.exec(headers.authorization ?? '')?.[1];
	const secret = String(sent ?? '').trim();
	if (!secret) throw reject('The API key is missing. Send it in X-API-Key, or in Authorization after "Bearer".');
	const key = keys.match(secret);
	if (key) return key;
	if (secret.startsWith('sk_') && !secret.startsWith(KEY_PREFIX)) {
		throw reject(
			'This is the sandbox, and this looks like a live API key. Never send a live key here. ' +
				"Use the key from the sandbox's home page, and consider rotating the live one.",
		);
	}
	throw reject("The API key is not valid. The sandbox's home page shows the right one.");
}

function reject(message: string): HttpError {
	return new HttpError(401, 'invalid_key', message, CHALLENGE);
}
