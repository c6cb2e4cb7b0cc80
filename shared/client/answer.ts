import { ZodObject, type ZodType } from 'zod/v4';
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
		const value: unknown = JSON.parse(body.replace(/^\uFEFF/, ''), exactInteger);
		return { value };
	} catch {
		return undefined;
	}
}

/** An integer too large for a number, such as a long id, stays as it was written. */
function exactInteger(_key: string, value: unknown, context?: { source?: string }): unknown {
	const exact = typeof value !== 'number' || !Number.isInteger(value) || Number.isSafeInteger(value);
	return exact ? value : (context?.source ?? value);
}

/**
 * Whether a body says in so many words that the call failed, or that it succeeded; undefined where it says neither.
 * The words stand at the top or under `data`.
 */
export function successFlag(body: unknown): boolean | undefined {
	if (!isObject(body)) return undefined;
	const flags = [body, body.data].map((part) => (isObject(part) ? part.success : undefined));
	if (flags.some((flag) => flag === false || flag === 'false' || flag === 0)) return false;
	if (flags.some((flag) => flag === true || flag === 'true' || flag === 1)) return true;
	return undefined;
}

/** Whether a body without a success flag tells of a failure by its status, as JSend and many others have it. */
export function tellsFailure(body: unknown): boolean {
	if (!isObject(body) || successFlag(body) === true) return false;
	const words = [body, body.data].map((part) => (isObject(part) ? part.status : undefined));
	return words.some((status) => status === false || /^(error|fail(ed|ure)?)$/i.test(String(status)));
}

/**
 * Finds the answer of an endpoint in a body whose envelope the interface does not show: a record's keys under
 * `data`, at the top or at one of its aliases; a list bare or as the one array under some key. The first place counts
 * whose value the output schema takes: an envelope may have a `status` of its own. Keys that we do not know stay
 * where they are; a known key whose value cannot be read is left out.
 * @returns what the endpoint's output schema is then parsed from, or undefined where nothing of the kind is there
 */
export function findAnswer(endpoint: Endpoint, body: unknown): unknown {
	if (endpoint.answer.kind === 'list') return findList(body);
	if (!isObject(body)) return undefined;
	const shape = shapeOf(endpoint);
	const found = Object.entries(shape).flatMap(([key, schema]) => {
		const aliases = endpoint.answer.kind === 'record' ? (endpoint.answer.aliases?.[key] ?? []) : [];
		const places = [`data.${key}`, key, ...aliases.flatMap((alias) => [`data.${alias}`, alias])];
		const value = places.map((place) => at(body, place)).find((candidate) => isReadable(schema, candidate));
		return value === undefined ? [] : [[key, value] as const];
	});
	const unknownKeys = Object.entries(body).filter(([key]) => !(key in shape));
	const success = successFlag(body);
	return { ...Object.fromEntries([...unknownKeys, ...found]), ...(success !== undefined && { success }) };
}

function shapeOf({ output }: Endpoint): Record<string, ZodType> {
	return output instanceof ZodObject ? output.shape : {};
}

function at(body: JsonObject, place: string): unknown {
	return place
		.split('.')
		.reduce<unknown>((value, key) => (isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined), body);
}

function isReadable(schema: ZodType, value: unknown): boolean {
	return value !== undefined && value !== null && schema.safeParse(value).success;
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
