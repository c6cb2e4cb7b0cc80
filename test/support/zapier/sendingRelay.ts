import { z } from 'zod/v4';
import { relayFolder, startRelay, type Relay } from '../relay/relay';
import { startRelayProcess, type RelayProcess } from '../relay/relayProcess';
import { useSandbox, type UsedSandbox } from '../useSandbox';
import type { Account } from './zapierTestApp';

const unknownSends = z.object({ data: z.array(z.object({ id: z.string(), to: z.string().nullable() })) });

/** A sandbox behind a relay. */
export interface SendingRelay extends UsedSandbox {
	readonly relay: Relay;
	/** The account, with the relay as its base URL. */
	readonly account: () => Account;
	/** Stops the relay, and starts it again at the same address with the same database. */
	readonly restart: (end?: 'stop' | 'kill') => Promise<void>;
	/** The recipients of all sends with an unknown outcome. */
	readonly unknown: () => Promise<Array<string | null>>;
	/** Settles all sends with an unknown outcome, as a person does on the page. */
	readonly settle: (outcome: 'arrived' | 'send_again') => Promise<void>;
}

/**
 * Starts a sandbox and a relay in front of it for the tests of the calling file. Call it at the top of the file.
 * @param options `mayKill`: starts the relay in a process of its own
 */
export function useSendingRelay({ mayKill = false } = {}): SendingRelay {
	const used = useSandbox();
	const folder = relayFolder();
	let relay: Relay | undefined;
	let kill: RelayProcess['kill'] | undefined;
	const running = () => {
		if (!relay) throw new Error('the relay starts with the first test of the file');
		return relay;
	};
	const start = async (port?: number) => {
		const env = { RELAY_SERVICE_URL: used.sandbox.baseUrl.replace(/\/$/, '') };
		const options = { folder, env, ...(port !== undefined && { port }) };
		if (mayKill) ({ kill } = relay = await startRelayProcess(options));
		else relay = await startRelay(options);
	};
	const unknown = async () =>
		unknownSends.parse(await (await running().api('GET', '/v1/sends?state=unknown&limit=100')).json()).data;
	beforeAll(async () => await start(), 120_000);
	afterAll(async () => await relay?.stop());
	return {
		...used,
		get relay() {
			return running();
		},
		account: () => ({
			base_url: `${running().url}/api/v1/`,
			api_key: used.sandbox.apiKey,
			base_url_is_relay: 'true',
		}),
		async restart(end = 'stop') {
			const port = Number(new URL(running().url).port);
			if (end === 'stop') await running().stop();
			else if (kill) await kill();
			else throw new Error('Only a relay in a process of its own can be killed');
			await start(port);
		},
		unknown: async () => (await unknown()).map(({ to }) => to),
		async settle(outcome) {
			for (const { id } of await unknown()) {
				const response = await running().api('POST', `/v1/sends/${id}/settle`, { outcome });
				if (!response.ok) throw new Error(`settle: ${response.status} ${await response.text()}`);
			}
		},
	};
}
