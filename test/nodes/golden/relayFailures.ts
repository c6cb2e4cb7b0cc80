import type { INodeParameters } from 'n8n-workflow';
import { gatewayEnv } from '../../support/relay/gateway';
import { startEngineProcess } from '../../support/n8n/engineProcess';
import { startRelay } from '../../support/relay/relay';
import { parametersOf } from './calls';
import type { GoldenHarness } from './goldenHarness';

const chapter = 'A relay as Base URL';

/** Sends whose recipient and text are fields of the operation. */
const SENDS = ['sms.send', 'sms.sendBulk'];

/** Records the failures that only a relay has. */
export async function recordRelayFailures(harness: GoldenHarness): Promise<void> {
	const { engine, control, record, note, at, testCredential, sandbox } = harness;
	const relay = await startRelay({ env: gatewayEnv(sandbox.baseUrl) });
	const credential = { baseUrl: `${relay.url}/api/v1/`, baseUrlIsRelay: 'true' };
	const api = { apiKey: sandbox.apiKey, authHeader: 'X-API-Key', ...credential };
	const other = await startEngineProcess({ messagingServiceApi: api });
	const run = async (id: string, parameters: INodeParameters) =>
		await engine.run({ parameters: parametersOf(id, parameters) });

	await at(credential, async () => {
		for (const [index, id] of SENDS.entries()) {
			const options = { sendOnceKey: `order-${index}` };
			await run(id, { options });
			await record(chapter, 'Send Once Key: another message', id, { parameters: { options, message: 'Another text' } });
		}
		for (const id of SENDS) {
			const options = { sendOnceKey: `unknown for ${id}` };
			await control.fault({ endpoint: id, times: 1, kind: 'drop_after' });
			await record(chapter, 'The response of the service is lost', id, { parameters: { options } });
			await record(chapter, 'Send Once Key: the first message is unknown', id, { parameters: { options } });
		}
		for (const id of SENDS) {
			const executionId = `another process of ${id}`;
			await other.run({ parameters: parametersOf(id), executionId });
			const parameters = { message: 'Another text' };
			await record(chapter, 'Another process of the execution, with another text', id, { parameters, executionId });
		}
		await record(chapter, 'Key Scope: no Send Once Key', 'sms.send', {
			parameters: { options: { keyScope: 'account' } },
		});
	});
	await Promise.all([relay.stop(), other.kill()]);
	for (const [failure, broken] of Object.entries({
		'The relay is away': credential,
		'Base URL: not a relay': { baseUrl: sandbox.baseUrl, baseUrlIsRelay: 'true' },
		'Base URL: another path': { baseUrl: `${sandbox.url}/nowhere/`, baseUrlIsRelay: 'true' },
		'Base URL Is a Relay: neither true nor false': { baseUrl: sandbox.baseUrl, baseUrlIsRelay: 'maybe' },
	})) {
		await at(broken, async () => {
			await record(chapter, failure, 'sms.send');
			note(chapter, failure, 'Credential test', (await testCredential()).message);
		});
	}
}
