import type { Endpoint } from '../contract/endpoint';
import { isInIpRanges } from '../network/ipRange';
import type { HttpRequest } from '../transport';
import type { InputIssue } from './errors';

/** The path that every base URL ends in (docs/api.md#base-url). */
export const API_SUFFIX = '/api/v1/';

/**
 * The header that carries the API key (docs/api.md#authentication).
 * @example const header: AuthHeader = 'Authorization';
 */
export type AuthHeader = 'X-API-Key' | 'Authorization';

/**
 * The header that carries the API key, by name and value (docs/api.md#authentication). White space around the key is
 * removed.
 * @example authHeaders('sk_live_1', 'Authorization') // { Authorization: 'Bearer sk_live_1' }
 */
export function authHeaders(apiKey: string, header: AuthHeader): Record<string, string> {
	const key = apiKey.trim();
	return header === 'Authorization' ? { Authorization: `Bearer ${key}` } : { 'X-API-Key': key };
}

/**
 * Whether an API key, as typed or pasted, is a sandbox key.
 * @example isSandboxKey(' sk_sandbox_demo') // true
 */
export function isSandboxKey(apiKey: unknown): boolean {
	return typeof apiKey === 'string' && apiKey.trim().startsWith('sk_sandbox_');
}

/**
 * Checks an API key as typed or pasted (docs/api.md#authentication). White space around it is allowed.
 * @returns the issue, without any part of the key; undefined if the key is valid
 * @example apiKeyIssue('abc')?.message // 'does not begin with sk_: paste the whole key from the dashboard'
 */
export function apiKeyIssue(apiKey: string): InputIssue | undefined {
	const say = (message: string): InputIssue => ({ field: 'apiKey', message });
	if (typeof apiKey !== 'string' || apiKey.trim() === '')
		return say('is missing: paste the key from the dashboard, it begins with sk_');
	const key = apiKey.trim();
	if (!key.startsWith('sk_')) return say('does not begin with sk_: paste the whole key from the dashboard');
	if (!/^[\x21-\x7e]+$/.test(key)) return say('contains a space or another character that no key has: copy it again');
	return undefined;
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Addresses that are not on the internet (RFC 1918, 6598, 3927, 4193, 4291). */
const PRIVATE = [
	'10.0.0.0/8',
	'172.16.0.0/12',
	'192.168.0.0/16',
	'100.64.0.0/10',
	'169.254.0.0/16',
	'fc00::/7',
	'fe80::/10',
];

/** A name without a dot, as in a Compose network, or below a domain that is not on the internet (RFC 6762, 8375). */
const PRIVATE_NAME = /^[^.:[\]]+$|\.(local|localhost|internal|lan|home\.arpa)$/;

function isPrivate(hostname: string): boolean {
	return PRIVATE_NAME.test(hostname) || isInIpRanges(hostname.replace(/^\[|\]$/g, ''), PRIVATE);
}

/** To which hosts plain http is allowed, beside this machine. */
interface HttpRules {
	/** Any host, for a sandbox key. Default: true. */
	readonly sandboxOverHttp?: boolean;
	/** A private host, for any key. Default: false. */
	readonly privateOverHttp?: boolean;
}

/** A host as people copy it, without a scheme: with a dot, or this machine. So a single word is not treated as a host. */
const HOST_FIRST = /^(localhost|\[::1\]|[a-z\d-]+(\.[a-z\d-]+)+)(:\d+)?([/?#]|$)/i;

function withScheme(typed: string): string {
	const host = HOST_FIRST.exec(typed)?.[1];
	if (host === undefined) return typed;
	return `${LOOPBACK.test(host) ? 'http' : 'https'}://${typed}`;
}

/**
 * Completes a base URL as typed (docs/api.md#base-url): a bare host gets `https://`, or `http://` on this machine, and `/api/v1/`. A
 * missing last slash is added.
 * Plain http is rejected unless the host is loopback or the key is a sandbox key.
 * @param options `sandboxOverHttp: false` rejects plain http for a sandbox key too, if the host is not loopback
 * `privateOverHttp: true` accepts plain http for any key if the host is private
 * @returns the base URL, or the issue with the correction to make
 * @example parseBaseUrl('https://sms.example', key) // { baseUrl: 'https://sms.example/api/v1/' }
 */
export function parseBaseUrl(
	typed: string,
	apiKey: string,
	{ sandboxOverHttp = true, privateOverHttp = false }: HttpRules = {},
): { baseUrl: string } | { issue: InputIssue } {
	const reject = (message: string) => ({ issue: { field: 'baseUrl', message } });
	const example = 'enter one like https://your-service.example/api/v1/';
	if (typeof typed !== 'string' || typed.trim() === '') return reject(`is missing: ${example}`);
	const text = withScheme(typed.trim());
	if (!URL.canParse(text)) return reject('must look like https://your-service.example/api/v1/');
	const url = new URL(text);
	if (url.protocol !== 'https:' && url.protocol !== 'http:') return reject(`must begin with https://: ${example}`);
	if (url.username || url.password) return reject('must not contain a user name or password');
	if (url.search || url.hash) return reject('must not contain ? or #: give only the part up to /api/v1/');
	const mayUseHttp =
		LOOPBACK.test(url.hostname) ||
		(sandboxOverHttp && isSandboxKey(apiKey)) ||
		(privateOverHttp && isPrivate(url.hostname));
	if (url.protocol === 'http:' && !mayUseHttp) {
		const where = privateOverHttp ? 'a public address' : 'another machine';
		return reject(`is plain http to ${where}, which would show your key to the network: use https://`);
	}
	// The URL of an endpoint, pasted from documentation, works as well as the base URL.
	const path = url.pathname.replace(/(?<!\/)\/+$/, '').replace(/(\/api\/v1)\/.*$/, '$1');
	return { baseUrl: `${url.origin}${path === '' ? API_SUFFIX : `${path}/`}` };
}

/**
 * Builds the HTTP request of a call. Pure.
 * @param input already parsed by the endpoint's schema
 * @param baseUrl ends with a slash
 * @param timeoutMs time limit of the whole exchange, in milliseconds
 */
export function buildRequest(
	endpoint: Endpoint,
	input: Readonly<Record<string, unknown>>,
	baseUrl: string,
	timeoutMs: number,
): HttpRequest {
	const inPath = new Set<string>();
	const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => {
		inPath.add(name);
		return encodeURIComponent(String(input[name]));
	});
	const url = `${baseUrl}${path.slice(1)}`;
	const rest =
		inPath.size === 0 ? input : Object.fromEntries(Object.entries(input).filter(([key]) => !inPath.has(key)));
	if (endpoint.method === 'GET') {
		const given = Object.entries(rest).filter(([, value]) => value !== undefined);
		const query = new URLSearchParams(given.map(([key, value]) => [key, String(value)])).toString();
		return { method: 'GET', url: query ? `${url}?${query}` : url, headers: ACCEPT, timeoutMs };
	}
	return { method: 'POST', url, headers: ACCEPT_AND_SEND, body: JSON.stringify(rest), timeoutMs };
}

const ACCEPT = { Accept: 'application/json' };
const ACCEPT_AND_SEND = { ...ACCEPT, 'Content-Type': 'application/json' };
