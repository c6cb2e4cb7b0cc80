import { z } from 'zod/v4';
import { relayFolder, startRelay, type Relay } from '../relay/relay';
import { useSandbox, type UsedSandbox } from '../useSandbox';
import type { Account } from './zapierTestApp';

const unknownSends = z.object({ data: z.array(z.object({ id: z.string(), to: z.string().nullable() })) });

/** A sandbox behind a relay. */
export interface SendingRelay extends UsedSandbox {
	readonly relay: Relay;
	/** The account, with the relay as its base URL. */
	readonly account: () => Account;
	/** Stops the relay, and starts it again at the same address with the same database. */
	readonly restart: () => Promise<void>;
	/** The recipients of all sends with an unknown outcome. */
	readonly unknown: () => Promise<Array<string | null>>;
	/** Settles all sends with an unknown outcome, as a person does on the page. */
	readonly settle: (outcome: 'arrived' | 'send_again') => Promise<void>;
}

/** Starts a sandbox and a relay in front of it for the tests of the calling file. Call it at the top of the file. */
export function useSendingRelay(): SendingRelay {
	const used = useSandbox();
	const folder = relayFolder();
	let relay: Relay | undefined;
	const running = () => {
		if (!relay) throw new Error('the relay starts with the first test of the file');
		return relay;
	};
	const unknown = async () =>
		unknownSends.parse(await (await running().api('GET', '/v1/sends?state=unknown&limit=100')).json()).data;
	const start = async (port = 0) => {
		relay = await startRelay({ folder, port, env: { RELAY_SERVICE_URL: used.sandbox.baseUrl.replace(/\/$/, '') } });
	};
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
		async restart() {
			await running().stop();
			await start(Number(new URL(running().url).port));
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
