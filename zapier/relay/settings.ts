import type { Bundle } from 'zapier-platform-core';
import { isInIpRanges } from '../../shared';
import { EDITION, type Edition } from '../runtime/edition';

type AuthData = Bundle['authData'];

/** Address of a relay, and one of its tokens. */
export interface RelaySettings {
	/** Without a slash at the end, and without `/v1`. */
	readonly url: string;
	readonly token: string;
}

/** Example in errors. */
const EXAMPLE = 'https://relay.example';

const LOOPBACK = ['127.0.0.0/8', '::1'];

/** Loopback, private and link-local addresses, which no one else can listen on along the way. */
const OWN_NETWORK = [
	...LOOPBACK,
	...['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16'],
	...['fc00::/7', 'fe80::/10'],
];

/**
 * Reads the relay of a connection. Both fields are optional, but they work only together.
 * @returns undefined if both fields are empty; `problem` is a sentence that begins with the wrong field
 */
export function readRelaySettings(
	{ relay_url = '', relay_token = '' }: AuthData,
	edition: Edition = EDITION,
): RelaySettings | { readonly problem: string } | undefined {
	const [typed, token] = [relay_url.trim(), relay_token.trim()];
	if (typed === '' && token === '') return undefined;
	if (typed === '') return reject(`Relay URL is missing: enter one like ${EXAMPLE}, or clear Relay Token`);
	if (token === '') return reject('Relay Token is missing: paste a token from your relay, or clear Relay URL');
	const url = readUrl(typed, edition);
	if ('problem' in url) return url;
	if (/^[\x21-\x7e]+$/.test(token)) return { ...url, token };
	return reject('Relay Token contains a space or another character that no token has: copy it again');
}

function readUrl(typed: string, { plainHttp }: Edition): { readonly url: string } | { readonly problem: string } {
	if (!URL.canParse(typed)) return reject(`Relay URL must look like ${EXAMPLE}`);
	const url = new URL(typed);
	if (url.protocol !== 'https:' && url.protocol !== 'http:') {
		return reject(`Relay URL must begin with https://: enter one like ${EXAMPLE}`);
	}
	if (url.username || url.password) return reject('Relay URL must not contain a user name or password');
	if (url.search || url.hash) return reject('Relay URL must not contain ? or #: enter only the address of the relay');
	const near = plainHttp === 'sandbox' ? OWN_NETWORK : LOOPBACK;
	if (url.protocol === 'http:' && (plainHttp === 'nowhere' || !isIn(near, url.hostname))) {
		return reject('Relay URL is plain http, which would show your token to the network: use https://');
	}
	if (/\/in\/[^/]+/.test(url.pathname)) {
		return reject(`Relay URL is the address for events: enter only ${url.origin}, as the relay's page shows it`);
	}
	// The URL of a route, pasted from documentation, and the relay's address for Base URL work as well.
	return { url: `${url.origin}${url.pathname.replace(/(\/api)?\/v1(\/.*)?$/, '').replace(/\/+$/, '')}` };
}

function isIn(ranges: readonly string[], hostname: string): boolean {
	return hostname === 'localhost' || isInIpRanges(hostname.replace(/^\[|\]$/g, ''), ranges);
}

function reject(problem: string): { readonly problem: string } {
	return { problem };
}
