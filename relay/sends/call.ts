import { z } from 'zod/v4';
import { endpoints, isSandboxKey, parseJson, type AuthHeader, type Endpoint } from '../../shared/index';
import type { Mode } from './mode';

/** A method that a client may use. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

/** One of the methods that are forwarded. */
export type Method = (typeof METHODS)[number];

/** A call to the service that passes through the relay. */
export interface GatewayCall {
	/** The endpoint of the contract, or one made for a path that the contract does not have. */
	readonly endpoint: Endpoint;
	readonly method: Method;
	/** Below the base URL, with the query. Begins with a slash. */
	readonly path: string;
	/** The headers that are forwarded. */
	readonly headers: Readonly<Record<string, string>>;
	/** As it arrived; undefined if there is none. */
	readonly body: Uint8Array | undefined;
	/** The same as text; '' if there is none. */
	readonly text: string;
	/** The value of a JSON body; undefined for any other. */
	readonly json: { readonly value: unknown } | undefined;
	/** The fields of a JSON body; empty for any other. */
	readonly input: Readonly<Record<string, unknown>>;
	readonly apiKey: ApiKey;
	readonly mode: Mode;
}

/** The caller's key of the service. It is never stored. */
export interface ApiKey {
	readonly value: string;
	readonly header: AuthHeader;
}

/** Headers of the caller that the service gets. Cookies of the relay's page, for one, are not for the service. */
const FORWARDED = [
	...['accept', 'accept-language', 'authorization', 'content-type', 'user-agent', 'x-api-key'],
	...['traceparent', 'tracestate', 'via', 'x-request-id'],
];

/** The parts of a request that make a call. */
export interface IncomingCall {
	readonly method: string;
	/** Below `/api/v1`, with the query. */
	readonly path: string;
	readonly header: (name: string) => string | undefined;
	readonly body: Uint8Array | undefined;
}

/**
 * Reads a call.
 * @returns undefined if the relay does not forward it: a method that it does not know, or a path that leaves the API
 */
export function readCall({ method, path, header, body }: IncomingCall): GatewayCall | undefined {
	const known = METHODS.find((one) => one === method);
	const [pathname = ''] = path.split('?');
	if (!known || leavesApi(pathname)) return undefined;
	const given = FORWARDED.map((name) => [name, header(name)] as const);
	const headers = Object.fromEntries(
		given.filter((entry): entry is readonly [string, string] => entry[1] !== undefined),
	);
	const apiKey = readApiKey(headers);
	const text = body === undefined ? '' : new TextDecoder().decode(body);
	const json = parseJson(text);
	return {
		endpoint: endpointOf(known, pathname),
		method: known,
		path,
		headers,
		body,
		text,
		json,
		input: isObject(json?.value) ? json.value : {},
		apiKey,
		mode: isSandboxKey(apiKey.value) ? 'sandbox' : 'live',
	};
}

/** Whether a path has dot segments, which could lead to another part of the service's host. */
function leavesApi(pathname: string): boolean {
	return pathname.split(/[/\\]|%2f|%5c/i).some((segment) => /^(\.|%2e){1,2}$/i.test(segment));
}

/** With both headers, the service decides which one counts, so both together are the key. */
function readApiKey(headers: Readonly<Record<string, string>>): ApiKey {
	const bearer = /^Bearer\s+(\S+)$/i.exec(headers.authorization ?? '')?.[1];
	const key = headers['x-api-key']?.trim();
	if (key !== undefined && key !== '') {
		return { value: bearer === undefined || bearer === key ? key : `${key} ${bearer}`, header: 'X-API-Key' };
	}
	return { value: bearer ?? '', header: 'Authorization' };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const LISTED = endpoints.map((endpoint) => ({
	endpoint,
	path: new RegExp(`^${endpoint.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}));

function endpointOf(method: Method, pathname: string): Endpoint {
	const listed = LISTED.find((one) => one.endpoint.method === method && one.path.test(pathname));
	return listed?.endpoint ?? otherEndpoint(method);
}

/** A method that only reads, by RFC 9110 (9.2.1). */
const SAFE: ReadonlySet<Method> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * An endpoint for a path that the contract does not have. It is read as a batch, because it may send to many recipients.
 */
function otherEndpoint(method: Method): Endpoint {
	return {
		id: `other.${method.toLowerCase()}`,
		method: method === 'GET' ? 'GET' : 'POST',
		path: '/',
		summary: 'A path that the contract does not have',
		input: z.object({}),
		output: z.looseObject({}),
		response: { kind: 'batch' },
		repeat: SAFE.has(method) ? 'safe' : 'once',
		charges: false,
		errors: [],
		example: { input: {}, output: {} },
	};
}
