import { useDatabase } from '../../support/relay/databases';
import { useSandbox } from '../../support/useSandbox';
import { gatewayEnv } from '../../support/relay/gateway';
import { startHop, type Hop } from './hop';
import { expectHonest, inWords, relayedClient, sendSms } from './relayedClient';

const { sandbox, control } = useSandbox();

describe('a caller of a relay who aborts', () => {
	const database = useDatabase('folder');
	/** Between the relay and the sandbox. */
	let service: Hop;
	/** Between the client and the relay. */
	let hop: Hop;
	let count = 0;

	beforeAll(async () => {
		service = await startHop(sandbox.url);
		const relay = await database().start({ env: gatewayEnv(service.baseUrl) });
		hop = await startHop(relay.url);
	});
	beforeEach(() => {
		count += 1;
		service.reset();
		hop.reset();
	});
	afterAll(async () => {
		await hop[Symbol.asyncDispose]();
		await service[Symbol.asyncDispose]();
	});

	/** Begins to send with a key of this test, which a second call uses again. */
	function begin(retry?: { readonly longestWaitMs: number; readonly attempts: number }) {
		const aborting = new AbortController();
		const idempotencyKey = `abort-${count}`;
		const client = relayedClient(hop.baseUrl, sandbox.apiKey, retry && { retry: { ...retry, budgetMs: 60_000 } });
		return {
			abort: () => aborting.abort(),
			send: async () => await sendSms(client, { idempotencyKey, signal: aborting.signal }),
			sendUntilAborted: async () => await sendSms(client, { idempotencyKey, waitSignal: aborting.signal }),
			again: async () => await sendSms(client, { idempotencyKey }),
		};
	}

	it('before the call makes no request', async () => {
		const { abort, send, again } = begin();
		abort();
		const outcome = await send();
		expect([inWords(outcome), hop.received]).toEqual(['rejected CanceledError', []]);
		expect(await expectHonest(outcome, control)).toBe(0);
		expect(inWords(await again())).toBe('accepted');
	});

	it('while the client looks for the relay gets a rejection, and nothing leaves', async () => {
		const { abort, send, again } = begin();
		hop.planOthers('hold');
		const sending = send();
		await hop.arrived(1);
		abort();
		const outcome = await sending;
		expect([inWords(outcome), hop.calls()]).toEqual(['rejected CanceledError', []]);
		expect(await expectHonest(outcome, control)).toBe(0);
		await hop.release();
		expect(await expectHonest(await again(), control)).toBe(1);
	});

	it('while the request is on its way does not know the outcome, and a late arrival sends nothing more', async () => {
		const { abort, send, again } = begin();
		hop.plan('hold');
		const sending = send();
		await hop.called(1);
		abort();
		const outcome = await sending;
		expect(inWords(outcome)).toBe('unknown UnknownOutcomeError');
		expect(await expectHonest(outcome, control)).toBe(0);
		const second = await again();
		expect(inWords(second)).toBe('accepted');
		await hop.release();
		expect(await expectHonest(second, control)).toBe(1);
	});

	it('while the service has the call gets its message from a second call with the key', async () => {
		const { abort, send, again } = begin();
		service.plan('hold');
		const sending = send();
		await service.called(1);
		abort();
		const outcome = await sending;
		expect(inWords(outcome)).toBe('unknown UnknownOutcomeError');
		expect(await expectHonest(outcome, control)).toBe(0);
		const repeating = again();
		await hop.called(2);
		await service.release();
		const second = await repeating;
		expect(inWords(second)).toBe('accepted before');
		expect(await expectHonest(second, control)).toBe(1);
	});

	it('after the relay responded gets its message from a second call with the key', async () => {
		const { abort, send, again } = begin();
		hop.plan('hang');
		const sending = send();
		await hop.forwarded(1);
		abort();
		const outcome = await sending;
		expect(inWords(outcome)).toBe('unknown UnknownOutcomeError');
		expect(await expectHonest(outcome, control)).toBe(1);
		const second = await again();
		expect(inWords(second)).toBe('accepted before');
		expect(await expectHonest(second, control)).toBe(1);
	});

	it.each(['send', 'sendUntilAborted'] as const)(
		'while the client waits before it repeats a lost call does not know the outcome: %s',
		async (name) => {
			const { again, abort, ...calls } = begin({ longestWaitMs: 60_000, attempts: 2 });
			hop.plan({ page: 503, forwards: true, headers: { 'retry-after': '50' } });
			const sending = calls[name]();
			await hop.forwarded(1);
			abort();
			const outcome = await sending;
			expect(inWords(outcome)).toBe('unknown UnknownOutcomeError');
			expect(await expectHonest(outcome, control)).toBe(1);
			expect(inWords(await again())).toBe('accepted before');
			expect(await control.messages()).toHaveLength(1);
		},
	);

	it('with a signal for waits only gets the response of the request in flight', async () => {
		const { abort, sendUntilAborted } = begin();
		service.plan('hold');
		const sending = sendUntilAborted();
		await service.called(1);
		abort();
		await service.release();
		const outcome = await sending;
		expect(inWords(outcome)).toBe('accepted');
		expect(await expectHonest(outcome, control)).toBe(1);
	});
});
