import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod/v4';
import { countMessages, recipients, sending, withKey } from '../support/queue/campaign';
import { API_CREDENTIAL, createWebhookWorkflow } from '../support/queue/n8nQueue';
import { queueSandbox } from '../support/queue/queueSandbox';
import { bothWorkers, readAccount, readSetup } from '../support/queue/queueSetup';
import { createRelayedCredential, listSends } from '../support/queue/relaySends';
import { startSlowService, type SlowService } from '../support/queue/slowService';
import { isLong, useDatabase } from '../support/relay/databases';
import type { RelayProcess } from '../support/relay/relayProcess';
import { driveApp, methods } from '../support/zapier/zapierTestApp';

/** Number of pairs of an n8n execution and a Zap. */
const PAIRS = Number(process.env.QUEUE_PAIRS ?? (isLong ? 100 : 30));

/** How long the service holds a request, in milliseconds. The second of a pair then often meets the first one in flight. */
const HOLD_MS = 60;

/** Zaps start within this time after the request to n8n, which takes about as long to begin. In milliseconds. */
const SPREAD_MS = 200;

const sandbox = queueSandbox();
const database = useDatabase('folder');
let service: SlowService;
let relay: RelayProcess;

beforeAll(async () => {
	await sandbox.reset();
	await sandbox.adjustWallet(1000);
	await bothWorkers();
	service = await startSlowService(readSetup().sandboxUrl, HOLD_MS);
	relay = await database().start({ env: { RELAY_SERVICE_URL: service.baseUrl } });
});

afterAll(async () => await service.close());

const zapResult = z.looseObject({ message_id: z.string(), already_sent: z.boolean() });

test('an n8n execution and a Zap with one key in the whole account send one message at the same instant', async () => {
	const options = { ...withKey, keyScope: 'account' };
	const credential = await createRelayedCredential(relay);
	const workflow = await createWebhookWorkflow('n8n and Zapier', sending('send', options), credential);
	const { apiKey } = z.object({ apiKey: z.string() }).parse(readAccount().credentials[API_CREDENTIAL]?.data);
	const zap = driveApp({ base_url: `${relay.url}/api/v1/`, api_key: apiKey, base_url_is_relay: true });
	const audience = recipients(71, PAIRS);
	let former = '0';
	let sentByZap = 0;
	for (const [index, { to, message, key }] of audience.entries()) {
		const input = { to, sender_id: 'KOFISHOP', message, send_once_key: key, key_scope: 'account' };
		const [, result] = await Promise.all([
			workflow.start({ people: [{ to, message, key }] }),
			wait((index * SPREAD_MS) / PAIRS).then(async () => await zap.run(methods.sendSms, input)),
		]);
		const executions = await workflow.more(1, former);
		former = executions[0]?.id ?? former;
		const [row] = executions[0]?.rows ?? [];
		const { message_id, already_sent } = zapResult.parse(result);
		expect([row?.message_id, row?.reason ?? row?.outcome]).toEqual([
			message_id,
			already_sent ? 'accepted' : 'already_sent',
		]);
		if (!already_sent) sentByZap += 1;
	}
	const counts = countMessages(await sandbox.messagesWith('Campaign 71'));
	expect(audience.map(({ to }) => counts.get(to))).toEqual(audience.map(() => 1));
	expect(await listSends(relay, 'unknown')).toEqual([]);
	console.info(
		`n8n and Zapier: ${PAIRS} pairs, ${sentByZap} sent by the Zap and ${PAIRS - sentByZap} by n8n, 0 doubles`,
	);
}, 1_200_000);
