import { startSandbox } from '../../sandbox/server';
import { sandboxControl } from '../support/sandboxControl';
import { startEngine } from '../support/n8n/engine';

const HOURS_MS = 2 * 60 * 60 * 1000;

it('applies Maximum Recipients to an execution that waits for hours in a loop while others run', async () => {
	// Before loading anything, because a module could read the clock while it loads.
	jest.useFakeTimers({
		now: Date.now(),
		doNotFake: [
			...(['nextTick', 'setImmediate', 'clearImmediate', 'queueMicrotask', 'hrtime', 'performance'] as const),
			...(['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] as const),
		],
	});
	const sandbox = await startSandbox({ clock: 'stopped' });
	try {
		const control = sandboxControl(sandbox);
		const engine = await startEngine({
			messagingServiceApi: { baseUrl: sandbox.baseUrl, apiKey: 'sk_sandbox_demo', authHeader: 'X-API-Key' },
		});
		const items = ['+233201234561', '+233201234562'].map((to) => ({ to }));
		const parameters = {
			resource: 'sms',
			operation: 'send',
			senderId: { __rl: true, mode: 'name', value: 'KOFISHOP' },
			to: '={{ $json.to }}',
			message: 'We are open from 8 to 18.',
			options: { maxRecipients: 3 },
		};
		const { error } = await engine.run({
			parameters,
			items,
			secondItems: items,
			beforeSecondRun: async () => {
				jest.setSystemTime(Date.now() + HOURS_MS);
				expect((await engine.run({ parameters, items })).status).toBe('success');
			},
		});
		expect(error?.message).toMatch(/^Maximum Recipients is 3\b.*\b2 .*\b2 earlier/);
		expect(await control.messages()).toHaveLength(4);
	} finally {
		jest.useRealTimers();
		await sandbox.stop();
	}
});
