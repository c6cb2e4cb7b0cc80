import { useDatabase } from '../../support/relay/databases';
import { gatewayEnv, sendThrough, sms } from '../../support/relay/gateway';
import { cut, pass, startHttpProxy, type HttpProxy, type ProxiedRequest } from '../../support/httpProxy';
import type { Relay } from '../../support/relay/relay';
import { useSandbox } from '../../support/useSandbox';
import { expectHonest, inWords, relayedClient, sendSms } from './relayedClient';

const { sandbox, control } = useSandbox();
const database = useDatabase('folder');
let relay: Relay;
let proxy: HttpProxy;
/** Whether a request goes to the service itself instead of the relay. */
let goesToService: (request: ProxiedRequest) => boolean;
/** Whether the response to a request is lost. */
let isLost: (request: ProxiedRequest) => boolean;

beforeAll(async () => {
	relay = await database().start({ env: gatewayEnv(sandbox.baseUrl) });
	proxy = await startHttpProxy(async (request, response) => {
		const passed = await request.forward(goesToService(request) ? sandbox.url : relay.url);
		if (isLost(request)) cut(response);
		else pass(response, passed);
	});
});
beforeEach(() => {
	goesToService = () => false;
	isLost = () => false;
});
afterAll(async () => await proxy.close());

const clientOf = () => relayedClient(`${proxy.url}/api/v1/`, sandbox.apiKey);
const isApi = ({ path }: ProxiedRequest) => path.startsWith('/api/');
const isSms = ({ path }: ProxiedRequest) => path === '/api/v1/sms/send';
/** A request that may send: one with the API key. */
const maySend = (request: ProxiedRequest) => isSms(request) && request.headers['x-api-key'] !== undefined;

describe('a client behind a proxy that sends some paths to the service itself', () => {
	it.each([
		['all paths of the API', isApi],
		['the path of the call only', isSms],
	])('sends nothing: %s', async (_name, split) => {
		goesToService = split;
		const outcome = await sendSms(clientOf());
		expect(inWords(outcome)).toBe('rejected InputError');
		expect(await expectHonest(outcome, control)).toBe(0);
	});

	it('sends nothing either if the first response would be lost', async () => {
		goesToService = isApi;
		isLost = maySend;
		const outcome = await sendSms(clientOf());
		expect(inWords(outcome)).toBe('rejected InputError');
		expect(await expectHonest(outcome, control)).toBe(0);
	});
});

describe('a client whose proxy sends the path of the API to the service from now on', () => {
	it.each([
		['is lost', maySend],
		['arrives', () => false],
	])('makes one call and does not know its outcome if the response %s', async (_name, lost) => {
		const client = clientOf();
		expect(inWords(await sendSms(client))).toBe('accepted');
		await control.reset();
		goesToService = isApi;
		isLost = lost;
		const outcome = await sendSms(client);
		expect(inWords(outcome)).toBe('unknown UnknownOutcomeError');
		expect(await expectHonest(outcome, control)).toBe(1);
	});
});

describe('a client whose proxy sends one call to the service, and all others to the relay', () => {
	it('does not repeat the call after a response that no proxy makes', async () => {
		let calls = 0;
		goesToService = (request) => maySend(request) && (calls += 1) === 1;
		const outcome = await sendSms(clientOf());
		expect(inWords(outcome)).toBe('unknown UnknownOutcomeError');
		expect(await expectHonest(outcome, control)).toBe(1);
	});
});

describe('a request that only asks for a relay', () => {
	it('is not forwarded, even with a key and a body', async () => {
		const { status, headers, outcome } = await sendThrough(relay, sms(), {
			key: 'asked-1',
			apiKey: sandbox.apiKey,
			headers: { 'relay-attempt': '0' },
		});
		expect([status, outcome, headers.get('relay-version') === null]).toEqual([204, null, false]);
		expect(await control.messages()).toEqual([]);
	});
});
