import { isObject, type JsonObject } from './find';

/**
 * Copies a body with its keys in lower case and without separators, because gateways write the same key as `message_id`,
 * `messageId`, `MessageId` or `message-id`. Of two such keys, the first one with a value counts.
 */
export function plainKeys(body: JsonObject): JsonObject {
	const plain: JsonObject = {};
	for (const [key, value] of Object.entries(body)) {
		const name = plainKey(key);
		const known = Object.hasOwn(plain, name) ? plain[name] : undefined;
		if (known === undefined || known === null || known === '') plain[name] = plainValue(value);
	}
	return plain;
}

/**
 * One key in lower case and without separators.
 * @param key a dot separates the keys of a path, and stays
 */
export function plainKey(key: string): string {
	return key.toLowerCase().replace(/[\s_-]/g, '');
}

function plainValue(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(plainValue);
	return isObject(value) ? plainKeys(value) : value;
}
