import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod/v4';
import { countMessages, recipients, sending, withKey, type Person } from '../support/queue/campaign';
import { API_CREDENTIAL, createWebhookWorkflow, type Row, type WebhookWorkflow } from '../support/queue/n8nQueue';
import { queueSandbox } from '../support/queue/queueSandbox';
import { bothWorkers, readAccount, readSetup } from '../support/queue/queueSetup';
import { createRelayedCredential, listSends } from '../support/queue/relaySends';
import { startSlowService, type SlowService } from '../support/queue/slowService';
import { isLong } from '../support/random';
import { useDatabase } from '../support/relay/databases';
import type { RelayProcess } from '../support/relay/relayProcess';
import { driveApp, methods } from '../support/zapier/zapierTestApp';

/** Number of pairs of an n8n execution and a Zap. */
const PAIRS = Number(process.env.QUEUE_PAIRS ?? (isLong ? 1_000 : 30));

/** How long the service holds a request, in milliseconds. The second of a pair then often meets the first one in flight. */
const HOLD_MS = 60;

/** Zaps start within this time after the request to n8n, which takes about as long to begin. In milliseconds. */
const SPREAD_MS = 200;

/** Time for one test, in milliseconds. */
const LIMIT_MS = 120_000 + PAIRS * 5_000;

const sandbox = queueSandbox();
const database = useDatabase('folder');
let service: SlowService;
let relay: RelayProcess;

beforeAll(async () => {
	await sandbox.reset();
	await sandbox.adjustWallet(10_000);
	await bothWorkers();
	service = await startSlowService(readSetup().sandboxUrl, HOLD_MS);
	relay = await database().startProcess({ env: { RELAY_SERVICE_URL: service.baseUrl } });
});

afterAll(async () => await service.close());

const zapResult = z.looseObject({ message_id: z.string(), already_sent: z.boolean() });

/** A pair of an n8n execution and a Zap that ended. */
interface Pair {
	readonly keys: { readonly n8n: string; readonly zap: string };
	readonly row: Row;
	readonly step: z.output<typeof zapResult>;
}

/** Starts an execution and a Zap at the same instant, one pair after the other. The key of each is for the whole account. */
async function runPairs(
	title: string,
	audienceOf: { readonly n8n: readonly Person[]; readonly zap: readonly Person[] },
	check: (pair: Pair) => void,
): Promise<{ readonly workflow: WebhookWorkflow; readonly runZap: (person: Person) => Promise<Pair['step']> }> {
	const options = { ...withKey, keyScope: 'account' };
	const credential = await createRelayedCredential(relay);
	const workflow = await createWebhookWorkflow(title, sending('send', options), credential);
	const { apiKey } = z.object({ apiKey: z.string() }).parse(readAccount().credentials[API_CREDENTIAL]?.data);
	const zap = driveApp({ base_url: `${relay.url}/api/v1/`, api_key: apiKey, base_url_is_relay: true });
	const runZap = async ({ to, message, key }: Person) => {
		const input = { to, sender_id: 'KOFISHOP', message, send_once_key: key, key_scope: 'account' };
		return zapResult.parse(await zap.run(methods.sendSms, input));
	};
	let former = '0';
	for (const [index, person] of audienceOf.n8n.entries()) {
		const other = audienceOf.zap[index];
		if (!other) throw new Error('There are fewer Zaps than executions');
		const [, step] = await Promise.all([
			workflow.start({ people: [person] }),
			wait((index * SPREAD_MS) / PAIRS).then(async () => await runZap(other)),
		]);
		const [execution] = await workflow.more(1, former);
		former = execution?.id ?? former;
		check({ keys: { n8n: person.key, zap: other.key }, row: execution?.rows?.[0] ?? {}, step });
	}
	return { workflow, runZap };
}

test(
	'an n8n execution and a Zap with one key in the whole account send one message at the same instant',
	async () => {
		const audience = recipients(71, PAIRS);
		let sentByZap = 0;
		await runPairs('n8n and Zapier, one key', { n8n: audience, zap: audience }, ({ row, step }) => {
			expect([row.message_id, row.reason ?? row.outcome]).toEqual([
				step.message_id,
				step.already_sent ? 'accepted' : 'already_sent',
			]);
			if (!step.already_sent) sentByZap += 1;
		});
		const counts = countMessages(await sandbox.messagesWith('Campaign 71'));
		expect(audience.map(({ to }) => counts.get(to))).toEqual(audience.map(() => 1));
		expect(await listSends(relay, 'unknown')).toEqual([]);
		console.info(
			`n8n and Zapier, one key: ${PAIRS} pairs, ${sentByZap} sent by the Zap and ${PAIRS - sentByZap} by n8n, 0 doubles`,
		);
	},
	LIMIT_MS,
);

test(
	'an n8n execution and a Zap with different keys at the same instant send both messages, and no key is forgotten',
	async () => {
		const [n8n, zap] = [recipients(72, PAIRS), recipients(73, PAIRS)];
		/** The ID of the message of each key. */
		const ids = new Map<string, unknown>();
		const { workflow, runZap } = await runPairs('n8n and Zapier, two keys', { n8n, zap }, (pair) => {
			expect([pair.row.outcome, pair.step.already_sent]).toEqual(['accepted', false]);
			ids.set(pair.keys.n8n, pair.row.message_id);
			ids.set(pair.keys.zap, pair.step.message_id);
		});
		// Each surface now asks for the keys of the other one.
		const [before] = (await workflow.last(1)).map(({ id }) => id);
		await workflow.start({ people: zap });
		const [again] = await workflow.more(1, before ?? '0');
		expect(again?.rows?.map(({ reason, message_id }) => [reason, message_id])).toEqual(
			zap.map(({ key }) => ['already_sent', ids.get(key)]),
		);
		for (const person of n8n) {
			expect(await runZap(person)).toMatchObject({ already_sent: true, message_id: ids.get(person.key) });
		}
		const counts = new Map([
			...countMessages(await sandbox.messagesWith('Campaign 72')),
			...countMessages(await sandbox.messagesWith('Campaign 73')),
		]);
		expect([...n8n, ...zap].map(({ to }) => counts.get(to))).toEqual([...n8n, ...zap].map(() => 1));
		console.info(`n8n and Zapier, two keys: ${PAIRS} pairs, 0 keys forgotten`);
	},
	LIMIT_MS,
);
