/** One request to the API; `status` is null until it is answered, and stays so where the connection was dropped. */
export interface RequestLogEntry {
	readonly method: string;
	/** Without the query. */
	readonly path: string;
	/** Id of the endpoint in the contract; null where the path belongs to none. */
	readonly endpoint: string | null;
	/** Milliseconds since 1970 UTC, in the sandbox's time. */
	readonly at: number;
	status: number | null;
	/** Kind of the fault that it met. */
	fault: string | null;
}

/** The last requests to the API; no header and no body is kept, so no key is. */
export interface RequestLog {
	/** Adds a request that has just come in. @returns its entry, to be completed when it is answered */
	open(request: Pick<RequestLogEntry, 'method' | 'path' | 'endpoint' | 'at'>): RequestLogEntry;
	/** The entries, newest first. */
	list(): readonly RequestLogEntry[];
	clear(): void;
}

const LIMIT = 1000;

/** Makes an empty journal that keeps the last 1000 requests. */
export function createRequestLog(): RequestLog {
	let entries: RequestLogEntry[] = [];
	return {
		open: ({ method, path, endpoint, at }) => {
			const entry: RequestLogEntry = { method, path, endpoint, at, status: null, fault: null };
			entries.push(entry);
			if (entries.length === 2 * LIMIT) entries = entries.slice(LIMIT);
			return entry;
		},
		list: () => entries.slice(-LIMIT).reverse(),
		clear: () => {
			entries = [];
		},
	};
}
