import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { z } from 'zod/v4';
import { eventually } from '../eventually';
import { makeCertificate } from '../thirdParty/certificate';
import { openGoogle } from '../thirdParty/google';
import { startThirdPartyProxy, type Hosts, type ThirdPartyProxy } from '../thirdParty/proxy';
import { openShopify } from '../thirdParty/shops/shopify';
import { openWooCommerce } from '../thirdParty/shops/wooCommerce';
import { editorWith, logIn, openN8nApi, type Editor, type N8nApi } from './n8nApi';
import { n8nAccess, reservePort, spawnN8n, type N8nAccess } from './n8nServer';

const root = join(__dirname, '..', '..', '..');
/** The folder of the n8n of this jest worker. */
const folder = join(root, '.local', 'e2e', `n8n-${process.env.JEST_WORKER_ID ?? '1'}`);
const stateFile = join(folder, 'shared.json');

/** What the next file needs to know about the n8n that an earlier one started. */
const state = z.object({
	/** The jest worker with which n8n ends. */
	worker: z.int(),
	access: n8nAccess,
	/** The port at which n8n reaches the stand-ins of other companies. */
	proxyPort: z.int(),
	certificate: z.object({ key: z.string(), cert: z.string(), file: z.string() }),
	/** Cookies of the editor's session. */
	session: z.record(z.string(), z.string()),
});

/** The n8n that the test files of a jest worker share. */
export interface SharedN8n extends N8nAccess {
	readonly n8n: N8nApi;
	/** Calls the editor's own routes. */
	readonly editor: Editor;
	/** Cookies of the editor's session, for a browser. */
	readonly session: Readonly<Record<string, string>>;
	/**
	 * Closes the stand-ins. n8n goes on for the next file.
	 * @returns the hosts that n8n asked for and that have no stand-in
	 */
	readonly close: () => Promise<readonly string[]>;
}

/**
 * Opens the n8n of this jest worker. The first file of the worker starts it, and it ends with the worker. It has none of the
 * workflows, executions, credentials and data tables of earlier files. It reaches this machine and the stand-ins, and no other
 * host.
 * @param hosts the stand-ins of other companies
 */
export async function openSharedN8n(hosts: Hosts = {}): Promise<SharedN8n> {
	const running = readState();
	const { access, proxy, session } = running ? await openAgain(running, hosts) : await start(hosts);
	return {
		...access,
		n8n: openN8nApi(access.url, access.apiKey),
		editor: editorWith(access.url, new Map(Object.entries(session))),
		session,
		async close() {
			await proxy.close();
			return proxy.rejected;
		},
	};
}

type State = z.output<typeof state>;

interface Opened {
	readonly access: N8nAccess;
	readonly proxy: ThirdPartyProxy;
	readonly session: State['session'];
}

function readState(): State | undefined {
	if (!existsSync(stateFile)) return undefined;
	const found = state.parse(JSON.parse(readFileSync(stateFile, 'utf8')));
	return found.worker === process.pid ? found : undefined;
}

async function openAgain({ access, proxyPort, certificate, session }: State, hosts: Hosts): Promise<Opened> {
	await clear(openN8nApi(access.url, access.apiKey));
	return { access, proxy: await startThirdPartyProxy(hosts, certificate, proxyPort), session };
}

async function start(hosts: Hosts): Promise<Opened> {
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(folder, { recursive: true });
	const all = [openGoogle(), openShopify(), openWooCommerce()].flatMap((company) => Object.keys(company.hosts));
	const certificate = await makeCertificate(all, join(folder, 'third-party.pem'));
	const proxyPort = await reservePort(4_600);
	// It is open while n8n starts, and so sees the requests of n8n itself.
	const proxy = await startThirdPartyProxy(hosts, certificate, proxyPort);
	const { host, access } = await spawnN8n(folder, {
		settings: {
			...proxy.environment,
			NODE_OPTIONS: `--require ${JSON.stringify(join(__dirname, 'soonOver.cjs'))}`,
		},
	});
	// The program stays after this file. The listeners of the file must not, and the worker may end.
	for (const part of [host, ...host.stdio]) {
		part?.removeAllListeners();
		if (part instanceof Socket) part.unref();
	}
	host.unref();
	const cookies = new Map<string, string>();
	await logIn(access.url, access, cookies);
	const session = Object.fromEntries(cookies);
	const known: State = { worker: process.pid, access, proxyPort, certificate, session };
	writeFileSync(stateFile, JSON.stringify(known));
	return { access, proxy, session };
}

/** Deletes everything that the tests of earlier files made. */
async function clear(n8n: N8nApi): Promise<void> {
	for (const { id, active } of await list(n8n, '/workflows')) {
		if (active) await n8n.call('POST', `/workflows/${id}/deactivate`);
		// n8n removes the triggers after it has responded, and rejects the deletion until then.
		await eventually(`the end of the workflow ${id}`, async () => {
			const rejected = await n8n.call('DELETE', `/workflows/${id}`).then(() => undefined, String);
			if (rejected !== undefined && !rejected.includes('with 409:')) throw new Error(rejected);
			return rejected === undefined ? true : undefined;
		});
	}
	for (const path of ['/data-tables', '/credentials']) {
		for (const { id } of await list(n8n, path)) await n8n.call('DELETE', `${path}/${id}`);
	}
}

const listed = z.object({ data: z.array(z.object({ id: z.string(), active: z.boolean().optional() })) });

async function list(n8n: N8nApi, path: string) {
	return listed.parse(await n8n.call('GET', `${path}?limit=250`)).data;
}
