import type { Endpoint } from '../contract/endpoint';

type JsonObject = Record<string, unknown>;

/** Whether a value is a JSON object, not an array and not null. */
export function isObject(value: unknown): value is JsonObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Parses a body that should be JSON.
 * @returns the value in a box, or undefined where the body is missing, cut off, HTML or anything else
 */
export function parseJson(body: string | undefined): { value: unknown } | undefined {
	if (body === undefined) return undefined;
	try {
		const value: unknown = JSON.parse(body.replace(/^\uFEFF/, ''));
		return { value };
	} catch {
		return undefined;
	}
}

/** Whether a body says in so many words that the call failed, or that it succeeded; undefined where it says neither. */
export function successFlag(body: unknown): boolean | undefined {
	if (!isObject(body)) return undefined;
	const { success } = body;
	if (success === false || success === 'false' || success === 0) return false;
	if (success === true || success === 'true' || success === 1) return true;
	return undefined;
}

/**
 * Finds the answer of an endpoint in a body whose envelope the interface does not show: a record's keys at the
 * top, under `data` or at one of its aliases; a list bare or as the one array under some key.
 * Keys that we do not know stay where they are.
 * @returns what the endpoint's output schema is then parsed from, or undefined where nothing of the kind is there
 */
export function findAnswer(endpoint: Endpoint, body: unknown): unknown {
	if (endpoint.answer.kind === 'list') return findList(body);
	if (!isObject(body)) return undefined;
	const found: JsonObject = {};
	for (const key of keysOf(endpoint)) {
		const places = [key, `data.${key}`];
		for (const alias of endpoint.answer.aliases?.[key] ?? []) places.push(alias, `data.${alias}`);
		const value = places.map((place) => at(body, place)).find((candidate) => isPlain(candidate));
		if (value !== undefined) found[key] = value;
	}
	const success = successFlag(body);
	return { ...body, ...(success === undefined ? {} : { success }), ...found };
}

function keysOf(endpoint: Endpoint): string[] {
	const { output } = endpoint;
	return 'shape' in output && isObject(output.shape)
		? Object.keys(output.shape).filter((key) => key !== 'success')
		: [];
}

function at(body: JsonObject, place: string): unknown {
	return place
		.split('.')
		.reduce<unknown>((value, key) => (isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined), body);
}

function isPlain(value: unknown): boolean {
	return value !== undefined && value !== null && typeof value !== 'object';
}

function findList(body: unknown, depth = 0): unknown[] | undefined {
	if (Array.isArray(body)) return Array.from<unknown>(body);
	if (!isObject(body) || depth > 2) return undefined;
	if ('data' in body) {
		const list = findList(body.data, depth + 1);
		if (list) return list;
	}
	const [list, ...others] = Object.values(body).filter((value): value is unknown[] => Array.isArray(value));
	return others.length === 0 ? list : undefined;
}
