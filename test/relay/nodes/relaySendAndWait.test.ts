import type { INodeParameters } from 'n8n-workflow';
import { gatewayEnv } from '../../support/relay/gateway';
import { fresh, smsParameters } from '../../support/n8n/relayedEngines';
import { startSendAndWaitEngine, type SendAndWaitEngine } from '../../support/n8n/sendAndWaitEngine';
import { NOTHING_SENT } from '../../support/promises';
import { startRelay, type Relay } from '../../support/relay/relay';
import { useSandbox } from '../../support/useSandbox';

/** Send and Wait with a relay as Base URL. */
const { sandbox, control } = useSandbox();
let relay: Relay;
let engine: SendAndWaitEngine;
beforeAll(async () => {
	relay = await startRelay({ env: gatewayEnv(sandbox.baseUrl) });
	const baseUrl = `${relay.url}/api/v1/`;
	engine = await startSendAndWaitEngine({
		messagingServiceApi: { baseUrl, apiKey: sandbox.apiKey, authHeader: 'X-API-Key', baseUrlIsRelay: true },
	});
}, 60_000);
afterAll(async () => await relay.stop());

const ask = async (options: INodeParameters = {}, to = '+233201234567') => {
	const message = 'Ship order 1042?';
	return await engine.ask({ parameters: smsParameters({ operation: 'sendAndWait', to, message }, options) });
};

it('waits for the response to a question that went through a relay', async () => {
	const asked = await ask({ sendOnceKey: fresh('order') });
	expect(asked.status).toBe('waiting');
	const [question] = await control.messages();
	const link = question?.message.split('\n').at(-1) ?? '';
	const { answer } = await asked.visit(link, { answer: 'approve' });
	expect(answer?.output[0]?.json).toMatchObject({ message_id: question?.message_id, outcome: 'accepted' });
});

it('rejects a question under a used key, because its link is another one, and does not wait', async () => {
	const sendOnceKey = fresh('order');
	expect((await ask({ sendOnceKey })).status).toBe('waiting');
	const again = await ask({ sendOnceKey });
	expect(again).toMatchObject({ status: 'error', waitTill: undefined });
	expect(again.error?.message).toContain('Send Once Key');
	expect(again.error?.description).toContain(NOTHING_SENT);
	expect(await control.messages()).toHaveLength(1);
});

it('asks again in another execution without a key', async () => {
	expect([(await ask()).status, (await ask()).status]).toEqual(['waiting', 'waiting']);
	expect(await control.messages()).toHaveLength(2);
});

it('asks each of several approvers once under a key', async () => {
	const sendOnceKey = fresh('order');
	const approvers = '+233201234567, +233201234568';
	expect((await ask({ sendOnceKey }, approvers)).status).toBe('waiting');
	expect((await ask({ sendOnceKey }, approvers)).status).toBe('error');
	expect((await control.messages()).map(({ to }) => to).sort()).toEqual(approvers.split(', '));
});
