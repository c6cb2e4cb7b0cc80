import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { z } from 'zod/v4';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../sandbox/server';

/** A response of the sandbox with its body parsed. */
export interface ApiResponse {
	readonly status: number;
	readonly headers: Headers;
	readonly body: unknown;
}

const messageRows = z.array(z.object({ message_id: z.string(), status: z.string(), cost: z.number() }));
const walletBody = z.object({
	balance: z.number(),
	transactions: z.array(z.looseObject({ type: z.string(), amount: z.number(), message_id: z.string().nullable() })),
});
const threadBody = z.object({
	entries: z.array(
		z.object({
			id: z.string(),
			direction: z.string(),
			sender: z.string(),
			text: z.string(),
			status: z.string(),
			scheduled_at: z.string().optional(),
			delivery: z
				.object({ url: z.string(), http_status: z.number().nullable(), problem: z.string().nullable() })
				.optional(),
		}),
	),
});

export type SendInput = Partial<Record<'to' | 'sender_id' | 'message', string>>;

/** A bubble on a phone. */
export type Entry = z.output<typeof threadBody>['entries'][number];

/** A sandbox with a stopped clock, unless the options say otherwise, and helpers for tests. */
export interface TestSandbox extends AsyncDisposable {
	readonly sandbox: Sandbox;
	/** Calls the API with the right key, or with the given headers. */
	api(method: 'GET' | 'POST', path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiResponse>;
	/** Calls a control route. */
	control(method: string, path: string, body?: unknown): Promise<ApiResponse>;
	/** Sends an SMS, by default a short one that is accepted. */
	send(input?: SendInput): Promise<ApiResponse>;
	/** Sends an SMS that must be accepted. Its row is found in a response of any shape. */
	sent(input?: SendInput): Promise<z.output<typeof messageRows>[number] & { balance: number }>;
	status(id: string): Promise<unknown>;
	advance(milliseconds: number): Promise<void>;
	/** Reads a whole list of the control routes, page by page. */
	every<Item>(path: string, item: z.ZodType<Item>): Promise<Item[]>;
	wallet(): Promise<z.output<typeof walletBody>>;
	/** Waits until the event stream of a phone shows the wanted thread. */
	thread(number: string, wanted: (entries: Entry[]) => boolean): Promise<Entry[]>;
}

/** Jest types its matchers as `any`, which would disable type checks around them. */
export const anyString: unknown = expect.any(String);
export const matching = (pattern: RegExp): unknown => expect.stringMatching(pattern);

export const PHONE = '+233201234567';

async function toApiResponse(response: Response): Promise<ApiResponse> {
	const text = await response.text();
	return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
}

export async function run(options: SandboxOptions = {}): Promise<TestSandbox> {
	const sandbox = await startSandbox({ clock: 'stopped', ...options });
	const control: TestSandbox['control'] = async (method, path, body) =>
		await toApiResponse(
			await fetch(`${sandbox.url}/_sandbox/${path}`, {
				method,
				...(body === undefined ? {} : { body: JSON.stringify(body) }),
			}),
		);
	const api: TestSandbox['api'] = async (method, path, body, headers = { 'x-api-key': sandbox.apiKey }) =>
		await toApiResponse(
			await fetch(new URL(path, sandbox.baseUrl), {
				method,
				headers: { 'content-type': 'application/json', ...headers },
				...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
			}),
		);
	const send: TestSandbox['send'] = async (input = {}) =>
		await api('POST', 'sms/send', { to: PHONE, sender_id: 'KOFISHOP', message: 'Hello', ...input });
	const wallet: TestSandbox['wallet'] = async () => walletBody.parse((await control('GET', 'wallet')).body);
	return {
		sandbox,
		control,
		api,
		send,
		sent: async (input) => {
			const { status, body } = await send(input);
			expect(status).toBe(200);
			const text = JSON.stringify(body);
			const rows = messageRows.parse((await control('GET', 'messages?limit=100')).body);
			const row = rows.find(({ message_id }) => text.includes(message_id));
			if (!row) throw new Error(`The response names no message: ${text}`);
			return { ...row, balance: (await wallet()).balance };
		},
		status: async (id) => (await api('GET', `sms/${id}`)).body,
		advance: async (milliseconds) => {
			expect((await control('POST', 'clock/advance', { milliseconds })).status).toBe(200);
		},
		every: async (path, item) => {
			const items = [];
			for (;;) {
				const part = `${path}${path.includes('?') ? '&' : '?'}limit=1000&offset=${items.length}`;
				const page = z.array(item).parse((await control('GET', part)).body);
				items.push(...page);
				if (page.length < 1000) return items;
			}
		},
		wallet,
		thread: async (number, wanted) => await readThreadEvents(sandbox, number, wanted),
		[Symbol.asyncDispose]: async () => await sandbox.stop(),
	};
}

async function readThreadEvents(sandbox: Sandbox, number: string, wanted: (entries: Entry[]) => boolean) {
	const abort = new AbortController();
	const url = `${sandbox.url}/_sandbox/phones/${encodeURIComponent(number)}/events`;
	const response = await fetch(url, { signal: abort.signal });
	expect(response.headers.get('content-type')).toBe('text/event-stream');
	const reader = (response.body ?? new ReadableStream<Uint8Array>()).getReader();
	const decoder = new TextDecoder();
	let text = '';
	for (let read = await reader.read(); !read.done; read = await reader.read()) {
		text += decoder.decode(read.value, { stream: true });
		const events = text.split('\n\n');
		text = events.pop() ?? '';
		for (const event of events) {
			const lines = event.split('\n');
			expect(lines).toContain('event: thread');
			const data = lines.find((line) => line.startsWith('data: '))?.slice(6) ?? '';
			const { entries } = threadBody.parse(JSON.parse(data));
			if (wanted(entries)) {
				abort.abort();
				return entries;
			}
		}
	}
	throw new Error('the event stream ended before the thread was as wanted');
}

/** A request that a {@link listen}ing server received. */
export interface Received {
	readonly method: string | undefined;
	readonly headers: IncomingHttpHeaders;
	readonly body: string;
}

/** Starts an HTTP server that stores requests and responds with a status and headers, or never responds. */
export async function listen(status: number | 'hang' = 200, headers: Record<string, string> = {}) {
	const received: Received[] = [];
	const server: Server = createServer((request, response) => {
		const chunks: Buffer[] = [];
		request.on('data', (chunk: Buffer) => chunks.push(chunk));
		request.on('end', () => {
			received.push({
				method: request.method,
				headers: request.headers,
				body: Buffer.concat(chunks).toString('utf8'),
			});
			if (status !== 'hang') response.writeHead(status, headers).end();
		});
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const address = server.address();
	if (address === null || typeof address === 'string') throw new Error('no TCP port');
	return {
		url: `http://127.0.0.1:${address.port}/hook`,
		received,
		/** Resolves with the first request. */
		next: once(server, 'request'),
		/** Sets the status of later responses. */
		answer: (changed: number) => {
			status = changed;
		},
		[Symbol.asyncDispose]: async () => {
			const closed = once(server, 'close');
			server.close();
			server.closeAllConnections();
			await closed;
		},
	};
}
