import { undiciTransport } from '../../shared/transports/undici';
import { startOutgoingProxy, type OutgoingProxy } from '../support/outgoingProxy';
import { startReceiver } from '../support/relay/receiver';

/** The transport for plain Node, with the variables of a proxy. */
let proxy: OutgoingProxy;
const { env } = process;
beforeEach(async () => {
	proxy = await startOutgoingProxy();
});
afterEach(async () => {
	process.env = env;
	await proxy[Symbol.asyncDispose]();
});

const get = async (url: string, variables: Readonly<Record<string, string>>) => {
	process.env = { ...variables };
	return await undiciTransport().send({ method: 'GET', url, headers: {}, timeoutMs: 10_000 });
};

it('sends a request through the proxy of HTTP_PROXY', async () => {
	const response = await get('http://service.example.test/api/v1/balance', proxy.env);
	expect([response.body, proxy.targets]).toEqual(['{"by":"proxy"}', ['http://service.example.test/api/v1/balance']]);
});

it.each([
	['HTTPS_PROXY', 'HTTPS_PROXY'],
	['https_proxy', 'https_proxy'],
	['HTTP_PROXY, if there is no other', 'HTTP_PROXY'],
])(
	'connects to an https host through the proxy of %s, and knows that a rejected request did not leave',
	async (_, name) => {
		await expect(get('https://service.example.test/', { [name]: proxy.env.HTTPS_PROXY })).rejects.toMatchObject({
			left: 'no',
			code: 'PROXY_REJECTED',
			message: 'the proxy did not connect to it (HTTP 403)',
		});
		expect(proxy.targets).toEqual(['service.example.test:443']);
	},
);

it.each([
	['this machine', '127.0.0.1', {}],
	['a host of NO_PROXY', 'localhost', { NO_PROXY: 'example.test,localhost' }],
])('connects to %s without the proxy', async (_, host, more) => {
	const receiver = await startReceiver();
	const { status } = await get(receiver.url.replace('127.0.0.1', host), { ...proxy.env, ...more });
	await receiver.close();
	expect([status, proxy.targets]).toEqual([200, []]);
});
