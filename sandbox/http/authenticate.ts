import { Refusal } from './refusal';

const CHALLENGE = { 'www-authenticate': 'Bearer realm="Messaging Service sandbox"' };

/**
 * Checks the API key in `X-API-Key` or `Authorization: Bearer` (service.md, Authentication).
 * @param apiKey the sandbox's own key
 * @returns the key
 * @throws Refusal 401 `invalid_key`; the message never repeats what was sent
 */
export function authenticate(headers: Headers, apiKey: string): string {
	const sent = headers.get('x-api-key') ?? /^bearer\s+(.*)$/i.exec(headers.get('authorization') ?? '')?.[1];
	const key = sent?.trim();
	if (!key) throw refuse('The API key is missing: send it as X-API-Key: <key> or as Authorization: Bearer <key>.');
	if (key === apiKey) return key;
	if (key.startsWith('sk_') && !key.startsWith('sk_sandbox_')) {
		throw refuse(
			'This is the sandbox, and that looks like a live API key. Never send a live key here: use the key that ' +
				"the sandbox's home page shows, and think of rotating the live one.",
		);
	}
	throw refuse("The API key is not valid: the sandbox's home page shows the right one.");
}

function refuse(message: string): Refusal {
	return new Refusal(401, 'invalid_key', message, CHALLENGE);
}
