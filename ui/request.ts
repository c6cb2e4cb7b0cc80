/** The query of a request. Undefined and empty values are left out. */
export type Query = Readonly<Record<string, string | number | undefined>>;

/** The parts of a request besides its route. */
export interface CallOptions {
	/** Values of the `:names` in the path. */
	readonly params?: Readonly<Record<string, string | number>>;
	readonly query?: Query;
	/** Sent as JSON. */
	readonly body?: unknown;
}

/** A page of a list. */
export interface Page<Items> {
	readonly items: Items;
	/** Length of the whole list. */
	readonly total: number;
}

/**
 * A client of an HTTP API. `Responses` maps each route, such as `GET messages/:id`, to the type of its response. The
 * client trusts the server to keep these types.
 */
export interface Client<Responses> {
	/** Calls a route. @returns the response's body @throws Error with the server's message */
	call<Route extends keyof Responses & string>(route: Route, options?: CallOptions): Promise<Responses[Route]>;
	/** Calls a route that responds with a part of a list. @throws Error with the server's message */
	page<Route extends keyof Responses & string>(route: Route, options?: CallOptions): Promise<Page<Responses[Route]>>;
}

/** Options of {@link createClient}. */
export interface ClientOptions {
	/** Path that all routes are below, with a slash at the end. */
	readonly base: string;
	/** Returns headers of each request, such as the API key. */
	readonly headers?: () => Readonly<Record<string, string>>;
	/** Header with the length of the whole list. */
	readonly totalHeader?: string;
	/** Called with the status of each response. */
	readonly onStatus?: (status: number) => void;
}

/** The server rejected a request. The message is the server's. */
export class RequestError extends Error {
	override readonly name = 'RequestError';

	/** @param status HTTP status of the response */
	constructor(
		message: string,
		readonly status: number,
	) {
		super(message);
	}
}

/** Creates a client of an API of this page's own server. */
export function createClient<Responses>({
	base,
	headers = () => ({}),
	totalHeader = 'x-total-count',
	onStatus = () => {},
}: ClientOptions): Client<Responses> {
	async function send<Route extends keyof Responses & string>(route: Route, options: CallOptions = {}) {
		const [method = 'GET', path = ''] = route.split(' ');
		const response = await request(
			{ url: base + toUrl(path, options), method, body: options.body, headers: headers() },
			onStatus,
		);
		return { body: response.body as Responses[Route], headers: response.headers };
	}
	return {
		call: async (route, options) => (await send(route, options)).body,
		page: async (route, options) => {
			const { body, headers } = await send(route, options);
			return { items: body, total: Number(headers.get(totalHeader)) };
		},
	};
}

function toUrl(path: string, { params = {}, query = {} }: CallOptions): string {
	const filled = path.replace(/:(\w+)/g, (_all, name: string) => encodeURIComponent(params[name] ?? ''));
	const search = new URLSearchParams();
	for (const [name, value] of Object.entries(query)) {
		if (value !== undefined && value !== '') search.set(name, String(value));
	}
	return search.size === 0 ? filled : `${filled}?${search.toString()}`;
}

/** A request of a {@link Client}. */
interface Sent {
	readonly url: string;
	readonly method: string;
	readonly body: unknown;
	readonly headers: Readonly<Record<string, string>>;
}

/** Sends a request and parses its JSON response. @throws Error with the server's message, for people to read */
async function request({ url, method, body, headers }: Sent, onStatus: (status: number) => void) {
	let response: Response;
	let text: string;
	try {
		response = await fetch(url, {
			method,
			headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
			body: body === undefined ? null : JSON.stringify(body),
		});
		text = await response.text();
	} catch {
		throw new Error(
			'There was no response. The connection was closed, or the server is not running. Check its terminal.',
		);
	}
	onStatus(response.status);
	const data = parse(text);
	if (!response.ok) {
		throw new RequestError(
			messageOf(data) ?? `The response was ${response.status}, without a reason.`,
			response.status,
		);
	}
	if (data === undefined && response.status !== 204)
		throw new Error(`The response was ${response.status}, but its body is not JSON.`);
	if (read(data, 'success') === false) {
		throw new Error(messageOf(data) ?? 'The request was rejected without a reason.');
	}
	return { body: data, headers: response.headers };
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

function read(value: unknown, key: string): unknown {
	return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}

/** Finds the message in an error body, in any of the usual shapes. */
function messageOf(body: unknown): string | undefined {
	const error = read(body, 'error');
	const candidates = [read(body, 'message'), read(error, 'message'), error, firstMessage(read(body, 'errors'))];
	return candidates.find((candidate): candidate is string => typeof candidate === 'string' && candidate !== '');
}

function firstMessage(errors: unknown): unknown {
	return Array.isArray(errors) ? read(errors[0], 'message') : undefined;
}

/** Returns the message of a caught error, for people to read. */
export function errorMessage(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
