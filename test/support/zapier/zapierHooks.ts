import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod/v4';
import { driveApp, type Account } from './zapierTestApp';

const rows = z.array(z.looseObject({ id: z.string() }));

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
}

/** Stand-in for hooks.zapier.com: receives requests for Zaps, and starts them through Zapier's own handler. */
export interface ZapierHooks extends AsyncDisposable {
	/** Turns a Zap on. @param trigger key of its trigger */
	readonly turnOn: (trigger: string, inputData?: Readonly<Record<string, unknown>>) => Promise<Zap>;
}

/** Zapier's spelling of a header: `webhook-id` becomes `Http-Webhook-Id`. */
export function asZapierNames(headers: Readonly<Record<string, string>>): Record<string, string> {
	const spell = (name: string) => `Http-${name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase())}`;
	return Object.fromEntries(Object.entries(headers).map(([name, value]) => [spell(name), value]));
}

/** Starts the stand-in on a free port of this machine, for the Zaps of one account. */
export async function zapierHooks(account: Account): Promise<ZapierHooks> {
	const receivers = new Map<string, (headers: Record<string, string>, content: string) => Promise<void>>();
	const server = createServer((request, response) => {
		let content = '';
		request.setEncoding('utf8').on('data', (part: string) => (content += part));
		request.on('end', () => {
			const headers = z.record(z.string(), z.string()).parse(request.headers);
			const receiver = receivers.get(request.url ?? '');
			const started = receiver?.(headers, content) ?? Promise.reject(new Error('The Zap is off'));
			started.then(
				() => response.writeHead(200).end('{"status": "success"}'),
				() => response.writeHead(receiver ? 500 : 410).end(),
			);
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;

	return {
		turnOn: async (trigger, inputData = {}) => {
			const path = `/hooks/standard/7/${receivers.size + 1}/`;
			const url = `http://127.0.0.1:${port}${path}`;
			const run = async (method: string, hook: object) =>
				await driveApp(account, { hook }).run(`triggers.${trigger}.operation.${method}`, inputData);
			const subscribeData = await run('performSubscribe', { targetUrl: url });
			const runs: Zap['runs'] = [];
			receivers.set(path, async (headers, content) => {
				const rawRequest = { headers: asZapierNames(headers), content };
				const cleanedRequest: unknown = JSON.parse(content);
				runs.push(...rows.parse(await run('perform', { rawRequest, cleanedRequest, subscribeData })));
			});
			return {
				url,
				runs,
				subscribeData,
				turnOff: async () => {
					receivers.delete(path);
					await run('performUnsubscribe', { targetUrl: url, subscribeData });
				},
				vanish: () => receivers.delete(path),
			};
		},
		[Symbol.asyncDispose]: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
