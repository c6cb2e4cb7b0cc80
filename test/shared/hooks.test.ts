import { contract, createClient, type Hooks, type RequestEvent, type ResponseEvent } from '../../shared';
import { undiciTransport } from '../../shared/transports/undici';
import { closedPort } from '../support/closedPort';
import { stubServer } from '../support/stubServer';

const input = { to: '+233201234567', sender_id: 'KOFISHOP', message: 'Your code is 918273' };
const accepted = { status: 200, body: JSON.stringify(contract.sms.send.example.output) };

async function log(baseUrl: string, more: Hooks = {}) {
	const requests: RequestEvent[] = [];
	const responses: ResponseEvent[] = [];
	const client = createClient({
		baseUrl,
		apiKey: 'sk_test_abcdef',
		transport: undiciTransport(),
		retry: { attempts: 2, baseMs: 1 },
		hooks: { onRequest: (event) => requests.push(event), onResponse: (event) => responses.push(event), ...more },
	});
	const outcome = await client.call(contract.sms.send, input);
	return { requests, responses, outcome };
}

describe('hooks', () => {
	it('reports every attempt to the hooks, without data that must not be logged', async () => {
		await using server = await stubServer({ status: 429, body: '{}' }, accepted);
		const { requests, responses } = await log(server.baseUrl);
		expect(requests).toEqual(
			[1, 2].map((attempt) => ({
				endpoint: 'sms.send',
				attempt,
				method: 'POST',
				url: `${server.baseUrl}sms/send`,
				input: { to: '+233…67', sender_id: 'KOFISHOP', message: '(19 characters)' },
			})),
		);
		expect(responses.map(({ attempt, status }) => [attempt, status])).toEqual([
			[1, 429],
			[2, 200],
		]);
		expect(JSON.stringify({ requests, responses })).not.toMatch(/918273|abcdef|1234567/);
	});

	it('gives messages and bodies to the hooks on request, and never the API key', async () => {
		await using server = await stubServer(accepted);
		const { requests, responses } = await log(server.baseUrl, { unredacted: true });
		expect(requests[0]?.input).toEqual(input);
		expect(responses[0]?.body).toBe(accepted.body);
		expect(JSON.stringify({ requests, responses })).not.toContain('abcdef');
	});

	it('reports the reason for a missing response to the hooks', async () => {
		const { responses } = await log(`http://127.0.0.1:${await closedPort()}`);
		expect(responses).toHaveLength(2);
		expect(responses[0]?.failure).toContain('ECONNREFUSED');
		expect(responses[0]).not.toHaveProperty('status');
	});

	it.each([
		[
			'throw',
			() => {
				throw new Error('disk full');
			},
		],
		[
			'reject',
			async () => {
				await Promise.reject(new Error('disk full'));
			},
		],
	])('completes a call when its hooks %s', async (_, broken) => {
		await using server = await stubServer(accepted);
		const { outcome } = await log(server.baseUrl, { onRequest: broken, onResponse: broken });
		expect(outcome.outcome).toBe('accepted');
		expect(server.received).toHaveLength(1);
	});
});
