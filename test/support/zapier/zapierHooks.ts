import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod/v4';
import { driveApp, type Account } from './zapierTestApp';

const rows = z.array(z.looseObject({ id: z.string() }));

/**
 * A response of Zapier. `lost`: the Zap runs, and the connection is cut before the response. `cut`: the same without a run.
 * `hang`: neither a run nor a response.
 */
export type ZapierResponse =
	| number
	| 'lost'
	| 'cut'
	| 'hang'
	| { readonly status: number; readonly headers: Readonly<Record<string, string>> };

/** A Zap that is turned on. */
export interface Zap {
	/** Its URL at Zapier. */
	readonly url: string;
	/** Outputs of the trigger, one for each run. */
	readonly runs: Array<z.output<typeof rows>[number]>;
	/** What the trigger returned when the Zap was turned on. */
	readonly subscribeData: unknown;
	/** Turns the Zap off, which ends its subscription. */
	readonly turnOff: () => Promise<void>;
	/** Removes the Zap's URL without a word to the relay. */
	readonly vanish: () => void;
	/** Decides the response to a POST. `count`: those before it. A 2xx starts the Zap. By default, each gets 200. */
	respond: (count: number) => ZapierResponse;
	/** When each POST arrived, in milliseconds since 1970. */
	readonly posts: number[];
	/** How often the relay said that it ended the subscription (DELETE). Zapier turns the Zap off then. */
	farewells: number;
}

/** Stand-in for hooks.zapier.com: receives requests for Zaps, and starts them through Zapier's own handler. */
export interface ZapierHooks extends AsyncDisposable {
	/** Turns a Zap on. @param trigger key of its trigger */
	readonly turnOn: (trigger: string, inputData?: Readonly<Record<string, unknown>>) => Promise<Zap>;
	/** Closes the port, as if Zapier were away. Connections are cut, and runs that have begun go on. */
	readonly close: () => Promise<void>;
	/** Opens the same port again. The Zaps are still on. */
	readonly open: () => Promise<void>;
}

/** Runs the trigger of a Zap with a request. */
type Start = (headers: Record<string, string>, content: string) => Promise<void>;

/** Zapier's spelling of a header: `webhook-id` becomes `Http-Webhook-Id`. */
export function asZapierNames(headers: Readonly<Record<string, string>>): Record<string, string> {
	const spell = (name: string) => `Http-${name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase())}`;
	return Object.fromEntries(Object.entries(headers).map(([name, value]) => [spell(name), value]));
}

/** Starts the stand-in on a free port of this machine, for the Zaps of one account. */
export async function zapierHooks(account: Account): Promise<ZapierHooks> {
	const zaps = new Map<string, { readonly zap: Zap; readonly start: Start }>();
	const server = createServer((request, response) => {
		let content = '';
		request.setEncoding('utf8').on('data', (part: string) => (content += part));
		request.on('end', () => {
			const known = zaps.get(request.url ?? '');
			if (!known) return void response.writeHead(410).end();
			const { zap, start } = known;
			if (request.method === 'DELETE') {
				zap.farewells += 1;
				return void response.writeHead(200).end();
			}
			zap.posts.push(Date.now());
			const decided = zap.respond(zap.posts.length - 1);
			const runs = decided === 'lost' || (typeof decided === 'number' && decided < 300);
			const started = runs
				? start(z.record(z.string(), z.string()).parse(request.headers), content)
				: Promise.resolve();
			started.then(
				() => end(response, decided),
				() => response.writeHead(500).end(),
			);
		});
	});
	const listen = async (port: number) =>
		await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
	const close = async () => {
		const closed = new Promise((resolve) => server.close(resolve));
		server.closeAllConnections();
		await closed;
	};
	await listen(0);
	const { port } = server.address() as AddressInfo;
	let turnedOn = 0;

	return {
		turnOn: async (trigger, inputData = {}) => {
			const path = `/hooks/standard/7/${++turnedOn}/`;
			const url = `http://127.0.0.1:${port}${path}`;
			const run = async (method: string, hook: object) =>
				await driveApp(account, { hook }).run(`triggers.${trigger}.operation.${method}`, inputData);
			const subscribeData = await run('performSubscribe', { targetUrl: url });
			const zap: Zap = {
				url,
				runs: [],
				subscribeData,
				turnOff: async () => {
					zaps.delete(path);
					await run('performUnsubscribe', { targetUrl: url, subscribeData });
				},
				vanish: () => zaps.delete(path),
				respond: () => 200,
				posts: [],
				farewells: 0,
			};
			const start: Start = async (headers, content) => {
				const rawRequest = { headers: asZapierNames(headers), content };
				const cleanedRequest: unknown = JSON.parse(content);
				zap.runs.push(...rows.parse(await run('perform', { rawRequest, cleanedRequest, subscribeData })));
			};
			zaps.set(path, { zap, start });
			return zap;
		},
		close,
		open: async () => await listen(port),
		[Symbol.asyncDispose]: close,
	};
}

function end(response: ServerResponse, decided: ZapierResponse): void {
	if (decided === 'hang') return;
	if (decided === 'lost' || decided === 'cut') {
		response.destroy();
		return;
	}
	const { status, headers } = typeof decided === 'number' ? { status: decided, headers: {} } : decided;
	response.writeHead(status, headers).end('{"status": "success"}');
}
