/** One request to the API. `status` is null until the response, and stays null if the connection was dropped. */
export interface RequestLogEntry {
	readonly method: string;
	/** Without the query. */
	readonly path: string;
	/** ID of the endpoint in the contract; null if the path has none. */
	readonly endpoint: string | null;
	/** In milliseconds since 1970 UTC, by the sandbox's clock. */
	readonly at: number;
	status: number | null;
	/** Kind of the fault applied to it. */
	fault: string | null;
}

/** The last requests to the API. Headers and bodies are not stored, so keys are not. */
export interface RequestLog {
	/** Adds a request that just arrived. @returns its entry, to complete with the response */
	open(request: Pick<RequestLogEntry, 'method' | 'path' | 'endpoint' | 'at'>): RequestLogEntry;
	/** The entries, newest first. */
	list(): readonly RequestLogEntry[];
	clear(): void;
}

const LIMIT = 1000;

/** Creates an empty log of the last 1,000 requests. */
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
