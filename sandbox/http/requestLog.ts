import type { IncomingMessage } from 'node:http';
import type { ApiKey } from '../store/keys';

/** One request to the API. Keys are not in it, apart from the last characters of a valid one. */
export interface RequestLogEntry {
	/** Number of the request since the sandbox started, from 1. */
	readonly id: number;
	readonly method: string;
	/** Without the query. */
	readonly path: string;
	/** With the question mark, or an empty text. */
	readonly query: string;
	/** ID of the endpoint in the contract; null if the path has none. */
	readonly endpoint: string | null;
	/** In milliseconds since 1970 UTC, by the sandbox's clock. */
	readonly at: number;
	/** In milliseconds, by the machine's clock. */
	readonly startedAt: number;
	readonly userAgent: string | undefined;
	readonly contentType: string | undefined;
	/** Header that the key came in. */
	readonly keyHeader: 'X-API-Key' | 'Authorization' | undefined;
	/** The key of the request, if it is valid. */
	key: ApiKey | undefined;
	/** Beginning of the body, or an empty text. */
	requestBody: string;
	/** Status of the response. Null until then, and if the connection was dropped. */
	status: number | null;
	responseHeaders: Readonly<Record<string, string>>;
	/** Beginning of the body, or an empty text. */
	responseBody: string;
	/** Why the request was rejected; null if it was not. */
	reason: string | null;
	/** Kind of the fault applied to it. */
	fault: string | null;
	/** Time until the response or the end of the connection, in milliseconds; null until then. */
	duration: number | null;
}

/** The last requests to the API, in memory. */
export interface RequestLog {
	/** Adds a request that just arrived. @returns its entry, to complete with the response */
	open(
		request: Pick<RequestLogEntry, 'method' | 'path' | 'endpoint' | 'at'>,
		incoming: IncomingMessage,
	): RequestLogEntry;
	/** The entries, newest first. */
	list(): readonly RequestLogEntry[];
	find(id: number): RequestLogEntry | undefined;
	clear(): void;
}

const LIMIT = 1000;

/** Number of characters or bytes of a body that are kept. */
export const KEPT_BODY = 4096;

/** Creates an empty log of the last 1,000 requests. */
export function createRequestLog(): RequestLog {
	let entries: RequestLogEntry[] = [];
	let last = 0;
	return {
		open: ({ method, path, endpoint, at }, { url = '', headers }) => {
			last += 1;
			const query = url.indexOf('?');
			// Only references to texts that exist anyway, because this runs in every request.
			const entry: RequestLogEntry = {
				id: last,
				method,
				path,
				query: query < 0 ? '' : url.slice(query),
				endpoint,
				at,
				startedAt: performance.now(),
				userAgent: headers['user-agent'],
				contentType: headers['content-type'],
				keyHeader: headers['x-api-key'] ? 'X-API-Key' : headers.authorization ? 'Authorization' : undefined,
				key: undefined,
				requestBody: '',
				status: null,
				responseHeaders: {},
				responseBody: '',
				reason: null,
				fault: null,
				duration: null,
			};
			entries.push(entry);
			if (entries.length === 2 * LIMIT) entries = entries.slice(LIMIT);
			return entry;
		},
		list: () => entries.slice(-LIMIT).reverse(),
		find: (id) => entries.slice(-LIMIT).find((entry) => entry.id === id),
		clear: () => {
			entries = [];
		},
	};
}

/** Returns the beginning of a body that the log keeps. A cut one is copied, so that the rest of it can be freed. */
export function keptPart(body: string): string {
	return body.length <= KEPT_BODY ? body : Buffer.from(body.slice(0, KEPT_BODY)).toString('utf8');
}
