import type { IDataObject, INodeParameters } from 'n8n-workflow';
import {
	countingService,
	type CountingService,
	type ServiceReply,
	type ServiceRequest,
} from '../support/countingService';
import { deduplicationStore } from '../support/n8n/deduplicationStore';
import { startEngine, type NodeRun } from '../support/n8n/engine';
import { alreadySent, NOTHING_SENT } from '../support/promises';

const recipients = ['+233201234561', '+233201234562', '+233201234563', '+233201234564'];
const peopleItems = recipients.map((to) => ({ to }));
const send = (more: INodeParameters = {}): INodeParameters => ({
	resource: 'sms',
	operation: 'send',
	senderId: { __rl: true, mode: 'name', value: 'KOFISHOP' },
	to: '={{ $json.to }}',
	message: 'We are open on Boxing Day',
	...more,
});
const bulk = (options: INodeParameters): INodeParameters =>
	send({
		operation: 'sendBulk',
		options: { recipientsPerRequest: 2, parallelRequests: 1, skipRejectedNumbers: false, ...options },
	});
const rejected: ServiceReply = { status: 422, body: { message: 'The gateway is closed' } };
const down: ServiceReply = { status: 403, body: { message: 'Not now' } };
const continues = { onError: 'continueRegularOutput' as const };
const twice = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };

/** Runs the node against a service. `reply` decides the response to the nth request to a path, counted from 1. */
async function run(reply: (request: ServiceRequest, nth: number) => ServiceReply, more: NodeRun) {
	const counts = new Map<string, number>();
	const credential: Record<string, string> = { apiKey: 'sk_sandbox_demo', authHeader: 'X-API-Key' };
	await using service = await countingService((request) => {
		const nth = (counts.get(request.path) ?? 0) + 1;
		counts.set(request.path, nth);
		return reply(request, nth);
	});
	credential.baseUrl = service.baseUrl;
	const engine = await startEngine({ messagingServiceApi: credential });
	const result = await engine.run({ items: peopleItems, ...more });
	const rows: IDataObject[] = result.outputs[0]?.map(({ json }) => json) ?? [];
	return { ...result, rows, service, credential };
}
const outcomes = (rows: readonly IDataObject[]) => rows.map(({ outcome }) => outcome);
const acceptedNumbers = ({ accepted }: CountingService) => accepted.map(({ to }) => to).sort();
beforeEach(() => deduplicationStore.clear());

describe('Retry On Fail after a partly successful first try', () => {
	const guard = { checkBalance: 'stop', pricePerSegment: 0.05 };
	/** The balance is readable in the first try only. */
	const balanceFails = (path: string, failing: number) => (request: ServiceRequest, nth: number) => {
		if (request.path === '/balance') return nth === 1 ? 'accept' : down;
		return request.path === path && nth === failing ? rejected : 'accept';
	};

	it('keeps the accepted rows of Send Bulk when Check Balance fails in the second try and the run continues', async () => {
		const { rows, service } = await run(balanceFails('/sms/bulk', 1), {
			parameters: bulk(guard),
			settings: { ...twice, ...continues },
		});
		expect(acceptedNumbers(service)).toEqual(recipients.slice(2));
		expect(outcomes(rows)).toEqual(['not_attempted', 'not_attempted', 'accepted', 'accepted']);
		expect(rows[0]?.error).toContain('Check Balance');
	});

	it('keeps the accepted rows of Send when Check Balance fails in the second try and the run continues', async () => {
		const { rows, service } = await run(balanceFails('/sms/send', 1), {
			parameters: send({ options: { ...guard, parallelRequests: 1 } }),
			settings: { ...twice, ...continues },
		});
		expect(acceptedNumbers(service)).toEqual(recipients.slice(1));
		expect(outcomes(rows)).toEqual(['not_attempted', 'accepted', 'accepted', 'accepted']);
	});

	it('names the recipients accepted in the first try when Check Balance stops the second try of Send Bulk', async () => {
		const { error, service } = await run(balanceFails('/sms/bulk', 2), { parameters: bulk(guard), settings: twice });
		expect(acceptedNumbers(service)).toEqual(recipients.slice(0, 2));
		expect(error?.message).toContain('Check Balance');
		expect(error?.description).toMatch(alreadySent(2));
		expect(error?.description).not.toContain(NOTHING_SENT);
	});

	it('names the messages sent in the first try when Check Balance stops the second try of Send', async () => {
		const { error, service } = await run(balanceFails('/sms/send', 3), {
			parameters: send({ options: { ...guard, parallelRequests: 1 } }),
			settings: twice,
		});
		expect(acceptedNumbers(service)).toEqual(recipients.slice(0, 2));
		expect(error?.message).toContain('Check Balance');
		expect(error?.description).toMatch(alreadySent(2, 'm1', 'm2'));
		expect(error?.description).not.toContain(NOTHING_SENT);
	});

	it('reports a message that may have been sent when Check Balance stops the second try', async () => {
		const { error } = await run(
			({ path }, nth) => {
				if (path === '/balance') return nth === 1 ? 'accept' : down;
				return nth === 1 ? 'accept and drop' : 'accept';
			},
			{ parameters: send({ options: { ...guard, parallelRequests: 1 } }), settings: twice },
		);
		expect(error?.message).toContain('Check Balance');
		expect(error?.description).toMatch(/\b1 item .*may have been sent/);
	});

	describe('a run of Send Later, whose time is in the past in the second try', () => {
		// The node reads the time once per item and try.
		const times = () => {
			let now = Date.UTC(2030, 0, 1);
			const clock = jest.spyOn(Date, 'now').mockImplementation(() => now);
			return { pass: () => (now += 3_600_000), [Symbol.dispose]: () => clock.mockRestore() };
		};
		const later = send({ operation: 'sendLater', sendAt: '2030-01-01T00:00:30Z', options: { parallelRequests: 1 } });

		it('keeps the accepted rows when Send At has passed in the second try and the run continues', async () => {
			using time = times();
			const { rows, service } = await run(
				(_, nth) => {
					if (nth === recipients.length) time.pass();
					return nth === 1 ? rejected : 'accept';
				},
				{ parameters: later, settings: { ...twice, ...continues } },
			);
			expect(acceptedNumbers(service)).toEqual(recipients.slice(1));
			expect(outcomes(rows)).toEqual(['rejected', 'accepted', 'accepted', 'accepted']);
			expect(rows[0]?.error).toMatch(/^Send At .*past/);
		});

		it('names the accepted messages when Send At has passed in the second try and the run stops', async () => {
			using time = times();
			const { error, service } = await run(
				(_, nth) => {
					if (nth === 3) time.pass();
					return nth === 3 ? rejected : 'accept';
				},
				{ parameters: later, settings: twice },
			);
			expect(acceptedNumbers(service)).toEqual(recipients.slice(0, 2));
			expect(error?.message).toMatch(/^Send At .*\(item 3 of 4\).*past/);
			// n8n would add "[item 2]" to the message.
			expect(error?.context?.itemIndex).toBeUndefined();
			expect(error?.description).toMatch(alreadySent(2, 'm1', 'm2'));
		});
	});

	describe.each(['send', 'sendBulk'])('a run of %s, whose credential cannot be used in the second try', (operation) => {
		const parameters =
			operation === 'send' ? send({ options: { parallelRequests: 1 } }) : bulk({ recipientsPerRequest: 1 });
		const breaking = (failing: number) => {
			const credential: { apiKey?: string } = {};
			return {
				credential,
				reply: (_: ServiceRequest, nth: number): ServiceReply => (nth === failing ? rejected : 'accept'),
			};
		};
		const runWithout = async (failing: number, last: number, settings: NodeRun['settings']) => {
			const { reply } = breaking(failing);
			const data: Record<string, string> = { apiKey: 'sk_sandbox_demo', authHeader: 'X-API-Key' };
			let nth = 0;
			await using service = await countingService((request) => {
				nth++;
				if (nth === last) data.apiKey = 'revoked';
				return reply(request, nth);
			});
			data.baseUrl = service.baseUrl;
			const engine = await startEngine({ messagingServiceApi: data });
			const result = await engine.run({ parameters, items: peopleItems, settings });
			return { ...result, rows: result.outputs[0]?.map(({ json }) => json) ?? [], service };
		};

		it('keeps the accepted rows when the second try has no usable credential and the run continues', async () => {
			const { rows, service } = await runWithout(1, recipients.length, { ...twice, ...continues });
			expect(acceptedNumbers(service)).toEqual(recipients.slice(1));
			expect(outcomes(rows)).toEqual(['not_attempted', 'accepted', 'accepted', 'accepted']);
			expect(rows[0]?.error).toMatch(/^API Key /);
		});

		it('names the accepted messages when the second try has no usable credential and the run stops', async () => {
			const { error, service } = await runWithout(3, 3, twice);
			expect(acceptedNumbers(service)).toEqual(recipients.slice(0, 2));
			expect(error?.message).toMatch(/^API Key /);
			expect(error?.description).toMatch(alreadySent(2));
		});
	});

	describe.each(['send', 'sendBulk'])('a run of %s, whose key store fails in the second try', (operation) => {
		const options = { sendOnceKey: '={{ $json.to }}', parallelRequests: 1 };
		const parameters = operation === 'send' ? send({ options }) : bulk({ ...options, recipientsPerRequest: 1 });
		const failing = (bad: number, last: number) => (_: ServiceRequest, nth: number) => {
			// Fails only after the first try released its keys.
			if (nth === last) deduplicationStore.failClaimsAfter(0);
			return nth === bad ? rejected : 'accept';
		};

		it('keeps the accepted rows when the key store fails in the second try and the run continues', async () => {
			const { rows, service } = await run(failing(1, recipients.length), {
				parameters,
				settings: { ...twice, ...continues },
			});
			expect(acceptedNumbers(service)).toEqual(recipients.slice(1));
			expect(outcomes(rows)).toEqual(['not_attempted', 'accepted', 'accepted', 'accepted']);
			expect(rows[0]?.error).toMatch(/^Send Once Key /);
		});

		it('names the accepted messages when the key store fails in the second try and the run stops', async () => {
			const { error, service } = await run(failing(3, 3), { parameters, settings: twice });
			expect(acceptedNumbers(service)).toEqual(recipients.slice(0, 2));
			expect(error?.message).toMatch(/^Send Once Key /);
			expect(error?.description).toMatch(alreadySent(2));
		});
	});

	it.each(['send', 'sendBulk'])(
		'keeps the accepted rows of %s when the service rejects the key in the second try',
		async (operation) => {
			const options = { parallelRequests: 1, recipientsPerRequest: 1 };
			const { rows, service } = await run(
				(_, nth) => (nth === 1 ? rejected : nth > recipients.length ? { status: 401 } : 'accept'),
				{
					parameters: send({ operation, options }),
					settings: { ...twice, ...continues },
				},
			);
			expect(acceptedNumbers(service)).toEqual(recipients.slice(1));
			expect(outcomes(rows)).toEqual(['rejected', 'accepted', 'accepted', 'accepted']);
		},
	);

	it('names the accepted messages when an expression fails in the second try', async () => {
		const state = { broken: false };
		const message = "={{ $json.state.broken ? $('No such node').item.json.x : 'Hello' }}";
		const { error, service } = await run(
			(_, nth) => {
				state.broken = nth === 2;
				return nth === 2 ? rejected : 'accept';
			},
			{
				parameters: send({ message, options: { parallelRequests: 1 } }),
				items: peopleItems.map((one) => ({ ...one, state })),
				settings: twice,
			},
		);
		expect(acceptedNumbers(service)).toEqual(recipients.slice(0, 1));
		expect(error?.description).toMatch(alreadySent(1, 'm1'));
	});

	it('keeps the rows of Send Bulk after a try that the service partly rejected, and sends nothing again', async () => {
		const state = { retried: false };
		const results = [
			{ to: recipients[0], status: 'failed', error: 'Blocked' },
			{ to: recipients[1], status: 'queued' },
		];
		const { rows, service } = await run(
			(_, nth) => {
				state.retried = true;
				return nth === 1 ? { status: 200, body: { batch_id: 'b1', results } } : 'accept';
			},
			{
				parameters: { ...bulk({}), message: '={{ $json.state.retried ? `To ${$json.to}` : "Hello" }}' },
				items: peopleItems.slice(0, 2).map((one) => ({ ...one, state })),
				settings: { ...twice, ...continues },
			},
		);
		expect(service.paths).toHaveLength(1);
		expect(outcomes(rows)).toEqual(['rejected', 'accepted']);
	});
});

describe('two nodes with the same ID', () => {
	it.each([
		['the same ID', 'n1'],
		['no ID', undefined],
	])('each send their own message (%s)', async (_, id) => {
		const settings = { id } as NodeRun['settings'];
		const { rows, service, thenOutputs } = await run(() => 'accept', {
			parameters: send({ message: 'For the customer' }),
			then: send({ to: recipients[3], message: 'For the courier' }),
			items: peopleItems.slice(0, 1),
			settings,
			thenSettings: settings,
		});
		expect(outcomes(rows)).toEqual(['accepted']);
		expect(thenOutputs[0]?.map(({ json }) => json.message_id)).toEqual(['m2']);
		expect(service.accepted.map(({ message }) => message)).toEqual(['For the customer', 'For the courier']);
	});

	it('each send their own bulk message', async () => {
		const settings = { id: 'n1' };
		const { service } = await run(() => 'accept', {
			parameters: bulk({}),
			then: { ...bulk({}), message: 'Another text' },
			items: peopleItems.slice(0, 2),
			settings,
			thenSettings: settings,
		});
		expect(service.accepted).toHaveLength(4);
	});
});
