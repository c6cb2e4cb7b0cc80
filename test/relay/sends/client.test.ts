import { contract, createClient, type Client, type ClientOptions } from '../../../shared';
import { undiciTransport } from '../../../shared/transports/undici';
import { useDatabase } from '../../support/relay/databases';
import type { Relay } from '../../support/relay/relay';
import { useSandbox } from '../../support/useSandbox';
import { gatewayEnv, sms } from '../../support/relay/gateway';
import { startHop, type Hop, type HopReaction } from './hop';

const { sandbox, control } = useSandbox();

const retry = { attempts: 4, baseMs: 1, longestWaitMs: 6_000, budgetMs: 30_000 };

describe('a client of a relay', () => {
	const database = useDatabase('folder');
	let relay: Relay;
	let hop: Hop;
	const clientOf = (more: Partial<ClientOptions> = {}): Client =>
		createClient({
			baseUrl: hop.baseUrl,
			apiKey: sandbox.apiKey,
			transport: undiciTransport(),
			relay: true,
			timeoutMs: 10_000,
			retry,
			...more,
		});
	const { send } = contract.sms;

	beforeAll(async () => {
		relay = await database().start({ env: gatewayEnv(sandbox.baseUrl, { RELAY_SERVICE_TIMEOUT_SECONDS: '5' }) });
	});
	beforeEach(async () => {
		hop = await startHop(relay.url);
	});
	afterEach(async () => await hop[Symbol.asyncDispose]());

	it('sends once, and says that nothing was replayed', async () => {
		const outcome = await clientOf().call(send, sms());
		expect(outcome).toMatchObject({ outcome: 'accepted', relay: { replayed: false } });
		expect(await control.messages()).toHaveLength(1);
	});

	it.each<[string, readonly HopReaction[]]>([
		['is cut after the relay forwarded it', ['cut after']],
		['is cut before the relay got it', ['cut before']],
		['is cut in the middle of the response', ['truncate']],
		['is cut three times', ['cut after', 'truncate', 'cut before']],
		['ends in the error page of a proxy', [{ page: 502, forwards: true }]],
		['ends in the error page of a proxy that did not forward it', [{ page: 503, forwards: false }]],
	])('charges once and is accepted if the connection to the relay %s', async (_name, plan) => {
		hop.plan(...plan);
		const outcome = await clientOf().call(send, sms());
		const [message, ...others] = await control.messages();
		expect(others).toEqual([]);
		// The key is the client's own, so it cannot belong to an earlier call.
		expect(outcome).toMatchObject({
			outcome: 'accepted',
			output: { message_id: message?.message_id, status: 'submitted' },
			relay: { replayed: false },
		});
		expect(new Set(hop.calls().map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
		expect(hop.calls()).toHaveLength(plan.length + 1);
	});

	it('charges nothing after a rejection, even if a proxy delivers the first attempt then', async () => {
		const body = { success: false, message: 'Wrong number' };
		await control.fault({ endpoint: 'sms.send', kind: 'answer', status: 422, body });
		hop.plan('hold and cut');
		const outcome = await clientOf().call(send, sms(), { idempotencyKey: 'held-1' });
		expect(outcome).toMatchObject({ outcome: 'rejected', error: { sent: 'no' } });
		expect(await hop.release()).toEqual([409]);
		expect(await control.messages()).toHaveLength(0);
		// The key is free for a new call.
		expect(await clientOf().call(send, sms(), { idempotencyKey: 'held-1' })).toMatchObject({ outcome: 'accepted' });
	});
});
