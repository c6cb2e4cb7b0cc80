import { EventEmitter, once } from 'node:events';
import type { INodeParameters } from 'n8n-workflow';
import { serveTrigger, type ServeOptions } from '../support/n8n/serveTrigger';
import { startTriggerEngine } from '../support/n8n/triggerEngine';

const secret = 'k3yK3yAbCdEfGhIjKlMnOpQrStUvWxYz';
const text = { from: '+233201234567', to: 'KOFISHOP', message: 'HOURS' };
const serve = async (options: ServeOptions, more: INodeParameters = {}) => {
	const triggerOn = ['inboundSms', 'inboundWhatsapp', 'deliveryReceipt', 'lowBalance'];
	const engine = await startTriggerEngine(
		{ messagingServiceWebhookApi: { secret, previousSecret: '' } },
		{ triggerOn, ...more },
	);
	return { engine, served: await serveTrigger(engine, secret, options) };
};
const post = async (url: string, body: object, signal?: AbortSignal) =>
	await fetch(url, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(body),
		...(signal && { signal }),
	});
const statusOf = async (url: string, body: object) => (await post(url, body)).status;

/** Rejects the first `times` calls, as n8n's runner does without its database or Redis. */
const failing = (times: number) => {
	let left = times;
	return async () => await (left-- > 0 ? Promise.reject(new Error('SQLITE_BUSY: database is locked')) : undefined);
};

describe('an event that n8n does not accept', () => {
	it.each<[string, object]>([
		['an inbound SMS', text],
		['an inbound SMS with an ID', { ...text, message_id: '20' }],
		['a STOP', { ...text, message: 'STOP' }],
		['a WhatsApp message', { ...text, channel: 'whatsapp', message_id: '21' }],
		['a delivery receipt', { message_id: 'm20', status: 'delivered' }],
		['a low balance', { balance: 4.2, threshold: 5 }],
	])('starts the workflow once when n8n fails twice and the request is repeated: %s', async (_, body) => {
		const { served } = await serve({ run: failing(2) });
		await using trigger = served;
		const statuses = [];
		for (let tries = 0; tries < 4; tries += 1) statuses.push(await statusOf(trigger.url, body));
		expect(statuses).toEqual([500, 500, 200, 200]);
		expect(trigger.started).toHaveLength(1);
	});

	it('does not count an event that n8n did not accept for Max Starts per Sender per Hour', async () => {
		const { served } = await serve({ run: failing(3) }, { options: { maxStartsPerSenderPerHour: 1 } });
		await using trigger = served;
		for (let tries = 0; tries < 4; tries += 1) await statusOf(trigger.url, text);
		expect(trigger.started).toEqual([expect.objectContaining({ message: 'HOURS' })]);
		await statusOf(trigger.url, { ...text, message: 'MORE' });
		expect(trigger.started).toHaveLength(1);
	});

	it("remembers a message's earlier statuses when n8n does not accept the next one", async () => {
		let fails = false;
		const { served } = await serve({
			run: async () => await (fails ? Promise.reject(new Error('Redis is gone')) : undefined),
		});
		await using trigger = served;
		const status = async (one: string) => await statusOf(trigger.url, { message_id: 'm1', status: one });
		expect([await status('submitted'), await status('sent')]).toEqual([200, 200]);
		fails = true;
		expect(await status('delivered')).toBe(500);
		fails = false;
		for (const one of ['sent', 'submitted', 'delivered', 'failed', 'sent']) await status(one);
		expect(trigger.started.map((item) => item.status)).toEqual(['submitted', 'sent', 'delivered']);
	});
});

describe('an event whose caller disconnects before n8n responds', () => {
	/** Sends a webhook, disconnects while n8n stores the execution, and returns functions that end the storing. */
	async function leave(body: object) {
		let end: { accept: () => void; fail: (error: Error) => void } | undefined;
		let stored = 0;
		const signs = new EventEmitter();
		const [begun, left] = [once(signs, 'begun'), once(signs, 'left')];
		const { served, engine } = await serve({
			run: async () => {
				stored += 1;
				if (stored > 1) return;
				await new Promise<void>((accept, fail) => {
					end = { accept, fail };
					signs.emit('begun');
				});
			},
			onLeft: () => signs.emit('left'),
		});
		const caller = new AbortController();
		const posting = post(served.url, body, caller.signal).catch(() => undefined);
		await begun;
		caller.abort();
		await Promise.all([posting, left]);
		if (!end) throw new Error('The execution has not started');
		return { served, engine, ...end };
	}
	const bodies: Array<[string, object]> = [
		['an inbound SMS', text],
		['a delivery receipt', { message_id: 'm30', status: 'delivered' }],
		['a low balance', { balance: 4.2, threshold: 5 }],
	];

	it.each(bodies)(
		'neither starts the workflow twice nor loses the event while the first request is undecided: %s',
		async (_, body) => {
			const { served, engine, accept } = await leave(body);
			await using trigger = served;
			expect(await statusOf(trigger.url, body)).toBe(503);
			expect(engine.logged()).toEqual([expect.stringContaining('undecided')]);
			accept();
			// The first request is still in flight.
			await trigger.idle();
			expect(await statusOf(trigger.url, body)).toBe(200);
			expect(trigger.started).toHaveLength(1);
		},
	);

	it.each(bodies)('starts the workflow at the next request if n8n fails: %s', async (_, body) => {
		const { served, fail } = await leave(body);
		await using trigger = served;
		fail(new Error('SQLITE_BUSY: database is locked'));
		await trigger.idle();
		expect([await statusOf(trigger.url, body), await statusOf(trigger.url, body)]).toEqual([200, 200]);
		expect(trigger.started).toHaveLength(1);
	});

	it('starts the workflow at a request a minute later if n8n never responds', async () => {
		const { served, accept } = await leave(text);
		await using trigger = served;
		const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 60_000);
		try {
			expect(await statusOf(trigger.url, text)).toBe(200);
		} finally {
			clock.mockRestore();
		}
		expect(trigger.started).toHaveLength(1);
		accept();
		await trigger.idle();
	});
});
