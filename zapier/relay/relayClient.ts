import type { Bundle, ZObject } from 'zapier-platform-core';
import { z as zod } from 'zod/v4';
import { asSentence, errorFacts, TransportError, type HttpResponse } from '../../shared';
import { WITHOUT_API_KEY } from '../runtime/apiKey';
import { TIMEOUT_MS } from '../runtime/perform';
import { sendRequest } from '../runtime/transport';
import { readRelaySettings, type RelaySettings } from './settings';
import { subscription, type Subscription } from './subscription';

/** Zapier's page about connections, where the two fields are filled in. No page about the relay is public yet. */
const CONNECTIONS_PAGE = 'https://help.zapier.com/hc/en-us/articles/8496290788109-Manage-your-app-connections';

/** The relay has limits for Zapier, which depend on the kind of the token. */
const NOT_FOR_ZAPIER = 'Relay Token is not for Zapier: create one of the kind Zapier on the page of the relay';

/** Most characters of an error's text that are shown. */
const MAX_SHOWN = 500;

/** Which events a subscription gets. An absent filter lets all pass. */
export interface EventFilter {
	readonly to?: readonly string[];
	readonly keywords?: readonly string[];
	readonly opt_outs?: 'include' | 'exclude';
	readonly statuses?: readonly string[];
	readonly channels?: readonly string[];
}

/** A request for events at a URL of Zapier. */
export interface NewSubscription {
	readonly url: string;
	readonly types: readonly string[];
	readonly filter: EventFilter;
	/** Shown on the relay's page. */
	readonly label: string;
}

const me = zod.object({ token: zod.object({ kind: zod.string() }), relay: zod.object({ version: zod.string() }) });
const page = zod.object({ data: zod.array(zod.unknown()) });
const errorBody = zod.object({ error: zod.object({ code: zod.string(), message: zod.string() }) });

/** The relay's API, as far as the triggers and the connection test need it. */
export interface RelayClient {
	/** Tests address and token, and that the token is of the kind `zapier`. */
	readonly test: () => Promise<void>;
	/** Creates a subscription, or updates the one with the same URL, types and filter. */
	readonly subscribe: (wanted: NewSubscription) => Promise<Subscription>;
	/** Deletes a subscription. Succeeds if it is already gone. */
	readonly unsubscribe: (id: string) => Promise<void>;
	/** Reads events, newest first. @param limit 1 to 100 */
	readonly events: (type: string, filter: EventFilter, limit: number) => Promise<readonly unknown[]>;
}

/**
 * Makes a client for the relay of a connection. All its errors are `z.errors.Error`. None is an `ExpiredAuthError`, with
 * which Zapier would hold the account's sends as well. Requests carry the relay's token and never the API key.
 * @param timeoutMs longest time of a request, in milliseconds
 * @returns undefined if the connection has no relay
 * @throws z.errors.Error that begins with the field to correct; nothing is requested
 */
export function relayClient(
	z: ZObject,
	{ authData }: Pick<Bundle, 'authData'>,
	timeoutMs = TIMEOUT_MS,
): RelayClient | undefined {
	const settings = readRelaySettings(authData);
	if (settings === undefined) return undefined;
	if ('problem' in settings) throw new z.errors.Error(settings.problem, 'InvalidConnection', 400);
	return clientOf(z, settings, timeoutMs);
}

/**
 * Makes a client for a trigger that needs a relay.
 * @throws z.errors.Error if the connection has no relay, or as {@link relayClient}
 */
export function requireRelay(z: ZObject, bundle: Pick<Bundle, 'authData'>): RelayClient {
	const client = relayClient(z, bundle);
	if (client) return client;
	const problem = `This trigger needs a relay: fill in Relay URL and Relay Token in your connection. See ${CONNECTIONS_PAGE}`;
	throw new z.errors.Error(problem, 'InvalidConnection', 400);
}

function clientOf(z: ZObject, { url, token }: RelaySettings, timeoutMs: number): RelayClient {
	const fail = (text: string, facts: { code?: string; status?: number }) =>
		new z.errors.Error(`${asSentence(text.replaceAll(token, 'rly_…'))}${errorFacts(facts)}`, facts.code, facts.status);

	async function request(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<HttpResponse> {
		const headers = { Accept: 'application/json', Authorization: `Bearer ${token}` };
		try {
			return await sendRequest(z, {
				method,
				url: `${url}/v1/${path}`,
				headers: body ? { ...headers, 'Content-Type': 'application/json' } : headers,
				...(body && { body: JSON.stringify(body) }),
				timeoutMs,
				middlewareData: WITHOUT_API_KEY,
			});
		} catch (error) {
			if (!(error instanceof TransportError)) throw error;
			const text = `Relay URL could not be reached: ${error.message}. Check the address, and that the relay is running.`;
			throw fail(text, { code: error.code });
		}
	}

	/** Reads a response. @throws z.errors.Error unless it is a 2xx with the expected content */
	function read<Content>({ status, headers, body }: HttpResponse, schema: zod.ZodType<Content>): Content {
		const content = jsonOf(body);
		const parsed = schema.safeParse(content);
		if (status >= 200 && status < 300 && parsed.success) return parsed.data;
		const known = errorBody.safeParse(content);
		const { code, message } = known.success ? known.data.error : {};
		const facts = { code, status };
		if (status >= 300 && status < 400) {
			throw fail(`Relay URL redirects to ${originOf(headers.location, url)}: enter that address instead`, facts);
		}
		if (status === 401) {
			throw fail('Relay Token is not known to the relay: copy it again, or create another on its page', facts);
		}
		if (message !== undefined) throw fail(`The relay reports: ${message.slice(0, MAX_SHOWN)}`, facts);
		if (status >= 500 || status === 429) throw fail('The relay is not available at the moment: try again later', facts);
		throw fail('Relay URL responds, but not like a relay: enter the address that the relay shows', facts);
	}

	return {
		test: async () => {
			const { token: own } = read(await request('GET', 'me'), me);
			// The relay would not keep Zapier's limits for another token, nor turn a Zap off with it.
			if (own.kind !== 'zapier') throw new z.errors.Error(NOT_FOR_ZAPIER, 'InvalidConnection', 400);
		},
		subscribe: async (wanted) => read(await request('POST', 'subscriptions', wanted), subscription),
		unsubscribe: async (id) => {
			const response = await request('DELETE', `subscriptions/${encodeURIComponent(id)}`);
			if (![204, 404, 410].includes(response.status)) read(response, zod.never());
		},
		events: async (type, filter, limit) => {
			const query = new URLSearchParams({ type, limit: String(limit), ...queryOf(filter) });
			return read(await request('GET', `events?${query.toString()}`), page).data;
		},
	};
}

/** The lists of a filter as query parameters, whose values the relay separates at commas. */
function queryOf(filter: EventFilter): Record<string, string> {
	return Object.fromEntries(Object.entries(filter).map(([name, value]) => [name, [value].flat().join(',')]));
}

function originOf(location: string | undefined, base: string): string {
	return location !== undefined && URL.canParse(location, base) ? new URL(location, base).origin : 'another address';
}

function jsonOf(body: string | undefined): unknown {
	try {
		return JSON.parse(body ?? '');
	} catch {
		return undefined;
	}
}
