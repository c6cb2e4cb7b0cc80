import { createNameMask } from '../../doctor/publicNames';
import { listenForWebhooks } from '../../doctor/webhooks/listen';
import { startSandbox } from '../../sandbox/server';
import { settingsSchema } from '../../sandbox/store/settings';
import { eventually } from '../support/eventually';
import { closedPort } from '../support/closedPort';
import { runDoctor } from '../support/runDoctor';
import { sandboxControl } from '../support/sandboxControl';

const JSON_TYPE = { 'content-type': 'application/json' };

async function listening(
	work: (url: string, listener: Awaited<ReturnType<typeof listenForWebhooks>>) => Promise<void>,
) {
	const listener = await listenForWebhooks(0, createNameMask());
	try {
		await work(`http://127.0.0.1:${listener.port}${listener.path}`, listener);
	} finally {
		await listener.stop();
	}
}

describe('the webhooks that the doctor collects', () => {
	it.each(settingsSchema.shape.callback_shape.options)(
		'are recognized in the shape %s of the sandbox, without their values',
		async (callback_shape) => {
			await listening(async (url, { received }) => {
				const sandbox = await startSandbox();
				try {
					const { settings } = sandboxControl(sandbox);
					await settings({ callback_url: url, callback_shape, low_balance_threshold: 100 });
					const headers = { ...JSON_TYPE, 'x-api-key': sandbox.apiKey };
					const body = JSON.stringify({ to: '+233201234567', sender_id: 'KOFISHOP', message: 'Very private' });
					await fetch(`${sandbox.baseUrl}sms/send`, { method: 'POST', headers, body });
					const events = await eventually('a receipt and an alert', () => {
						const names = received.map(({ event }) => event);
						return names.includes('deliveryReceipt') && names.includes('lowBalance') ? names : undefined;
					});
					expect(events).not.toContain(undefined);
					expect(JSON.stringify(received)).not.toMatch(/233201234567|KOFISHOP|private|msg_/);
				} finally {
					await sandbox.stop();
				}
			});
		},
	);

	it('name the headers that look like a signature, and hide other names', async () => {
		await listening(async (url, { received }) => {
			const body = JSON.stringify({ From: '+233201234567', To: 'KOFISHOP', Message: 'HOURS' });
			const headers = { ...JSON_TYPE, 'x-webhook-signature': 'abc', 'x-kofi-secret': 'def' };
			await fetch(url, { method: 'POST', headers, body });
			expect(received).toMatchObject([
				{ event: 'inboundSms', secretHeaders: ['x-webhook-signature', 'a header with another name'] },
			]);
			expect(received[0]?.words).toBe('JSON `{ From: phone number, To: text, Message: text }`');
		});
	});

	it('must come to the secret path', async () => {
		await listening(async (url, { received }) => {
			const { origin } = new URL(url);
			expect((await fetch(`${origin}/doctor`, { method: 'POST', body: '{}' })).status).toBe(404);
			expect(received).toEqual([]);
		});
	});

	it('are counted as unknown if the body is no known event', async () => {
		await listening(async (url, { received }) => {
			await fetch(url, { method: 'POST', headers: JSON_TYPE, body: '{"ping":true}' });
			await fetch(url, { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'Kofi' });
			expect(received).toMatchObject([{ event: undefined }, { event: undefined, template: undefined }]);
		});
	});
});

describe('a run with --public-url', () => {
	it('prints the address to paste, and has the rows of the webhooks that arrive there', async () => {
		const sandbox = await startSandbox();
		try {
			const { settings } = sandboxControl(sandbox);
			const port = String(await closedPort());
			let pasted: Promise<unknown> | undefined;
			const onPrint = (text: string) => {
				const [url] = /http:\/\/127\.0\.0\.1:\d+\/doctor\/[\w-]+/.exec(text) ?? [];
				if (url !== undefined) pasted = settings({ callback_url: url, low_balance_threshold: 100 });
			};
			const paid = ['--send-to', '+233201234567', '--max-spend', '1', '--prices', 'sms=0.05'];
			const address = ['--public-url', `http://127.0.0.1:${port}`, '--port', port, '--listen', '4'];
			const run = await runDoctor({ ...sandbox, onPrint }, ...address, ...paid);
			await pasted;
			expect(run.rows.get('Delivery receipt payloads')).toMatchObject({ verdict: 'ok' });
			expect(run.rows.get('Low-balance alert payloads')).toMatchObject({ verdict: 'ok' });
			expect(run.rows.get('Callback retries and signatures')).toMatchObject({ verdict: 'ok' });
			expect(run.report).not.toContain('127.0.0.1');
		} finally {
			await sandbox.stop();
		}
	});
});
