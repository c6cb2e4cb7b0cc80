import project from '../../package.json';
import { useDatabase } from '../support/relay/databases';
import { RELAY_TOKEN, type Relay } from '../support/relay/relay';

const database = useDatabase('folder');
let relay: Relay;

beforeAll(async () => {
	relay = await database().start();
});

const token = { authorization: `Bearer ${RELAY_TOKEN}` };

describe('Relay-Version', () => {
	it.each<[name: string, status: number, path: string, init: RequestInit]>([
		['a request without a token', 401, '/v1/me', {}],
		['a wrong token', 401, '/v1/me', { headers: { authorization: 'Bearer rly_wrong' } }],
		['a key of the service', 401, '/v1/me', { headers: { 'x-api-key': 'sk_sandbox_demo' } }],
		['a right token', 200, '/v1/me', { headers: token }],
		['an unknown path', 404, '/v1/nothing', { headers: token }],
		['a wrong body', 415, '/v1/subscriptions', { method: 'POST', headers: token, body: '{}' }],
		['a call of the service', 503, '/api/v1/balance', {}],
	])('is in the response to %s, with status %i', async (_name, status, path, init) => {
		const response = await fetch(`${relay.url}${path}`, init);
		expect([response.status, response.headers.get('relay-version')]).toEqual([status, project.version]);
	});

	it.each(['/', '/healthz', '/v2/me', '/openapi.json'])('is not in the response to %s', async (path) => {
		expect((await fetch(`${relay.url}${path}`)).headers.has('relay-version')).toBe(false);
	});
});
