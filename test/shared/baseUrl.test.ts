import {
	apiKeyIssue,
	authHeaders,
	createClient,
	InputError,
	parseBaseUrl,
	type HttpRequest,
	type Transport,
} from '../../shared';
import { fc } from '../support/random';

describe('parseBaseUrl', () => {
	it.each([
		['https://service.example', 'https://service.example/api/v1/'],
		['https://service.example/', 'https://service.example/api/v1/'],
		['https://service.example/api/v1', 'https://service.example/api/v1/'],
		[' https://service.example/api/v1/ ', 'https://service.example/api/v1/'],
		['https://service.example:8443/sms/api/v1//', 'https://service.example:8443/sms/api/v1/'],
		['https://service.example/api/v1/sms/send', 'https://service.example/api/v1/'],
		['http://127.0.0.1:4010', 'http://127.0.0.1:4010/api/v1/'],
		['http://localhost:4010/api/v1/', 'http://localhost:4010/api/v1/'],
		['http://[::1]:4010', 'http://[::1]:4010/api/v1/'],
		['127.0.0.1:4010', 'http://127.0.0.1:4010/api/v1/'],
		['localhost:4010/api/v1/', 'http://localhost:4010/api/v1/'],
		['[::1]:4010', 'http://[::1]:4010/api/v1/'],
		['service.example', 'https://service.example/api/v1/'],
		['Service.example:8443/api/v1', 'https://service.example:8443/api/v1/'],
		['192.168.0.5:4010', 'https://192.168.0.5:4010/api/v1/'],
	])('completes the base URL %s', (typed, baseUrl) => {
		expect(parseBaseUrl(typed, 'sk_live_1')).toEqual({ baseUrl });
	});

	it.each([
		['', 'missing'],
		['service', 'must look like https://'],
		['your key', 'must look like https://'],
		['mailto:me@service.example', 'https://'],
		['me@service.example', 'must look like https://'],
		['service.example?key=1', '?'],
		['ftp://service.example', 'https://'],
		['https://user:pass@service.example', 'user name'],
		['https://service.example/api/v1/?key=1', '?'],
		['http://service.example', 'plain http'],
		['http://127.0.0.1.evil.example', 'plain http'],
		['http://192.168.0.5:4010', 'plain http'],
	])('rejects the base URL %s', (typed, words) => {
		expect(parseBaseUrl(typed, 'sk_live_1')).toEqual({
			issue: { field: 'baseUrl', message: expect.stringContaining(words) as string },
		});
	});

	it('accepts plain http for a sandbox key, to a container by its name', () => {
		expect(parseBaseUrl('http://sandbox:4010', 'sk_sandbox_demo')).toEqual({ baseUrl: 'http://sandbox:4010/api/v1/' });
	});

	it('recognizes a sandbox key with white space around it', () => {
		expect(parseBaseUrl('http://sandbox', ' sk_sandbox_demo')).toEqual({ baseUrl: 'http://sandbox/api/v1/' });
	});

	it('rejects plain http to another machine when sandboxOverHttp is off', () => {
		const options = { sandboxOverHttp: false };
		expect(parseBaseUrl('http://sandbox:4010', 'sk_sandbox_demo', options)).toMatchObject({
			issue: { message: expect.stringContaining('plain http') as string },
		});
		expect(parseBaseUrl('http://127.0.0.1:4010', 'sk_sandbox_demo', options)).toHaveProperty('baseUrl');
	});

	it('does not change a completed base URL', () => {
		fc.assert(
			fc.property(fc.webUrl({ validSchemes: ['https'] }), (url) => {
				const first = parseBaseUrl(url, 'sk_live_1');
				if ('baseUrl' in first) expect(parseBaseUrl(first.baseUrl, 'sk_live_1')).toEqual(first);
			}),
		);
	});
});

describe('apiKeyIssue', () => {
	it.each(['', ' ', 'pk_live_1', 'Bearer sk_live_1', 'sk_live 1', 'sk_live\n_1', 'sk_ké'])(
		'rejects the API key %j',
		(key) => {
			expect(apiKeyIssue(key)).toMatchObject({ field: 'apiKey' });
		},
	);

	it.each(['sk_live_AbC-123_z', ' sk_live_1', 'sk_live_1\n', '\u00a0sk_live_1\t'])('accepts the API key %j', (key) => {
		expect(apiKeyIssue(key)).toBeUndefined();
	});
});

describe('authHeaders', () => {
	it.each(['X-API-Key', 'Authorization'] as const)('removes white space around the API key in %s', (header) => {
		expect(authHeaders(' sk_live_1\n', header)).toEqual(authHeaders('sk_live_1', header));
	});
});

describe('createClient', () => {
	it('sends the API key without white space around it, and removes it from errors', async () => {
		const sent: HttpRequest[] = [];
		const transport: Transport = {
			send: (request) => {
				sent.push(request);
				return Promise.resolve({ status: 422, headers: {}, body: '{"message": "The key demo-key is odd: sk_l"}' });
			},
			sleep: () => Promise.resolve(),
		};
		const client = createClient({ baseUrl: 'https://service.example', apiKey: '\tsk_l ', transport });
		await expect(client.wallet.getBalance()).rejects.toThrow('odd: sk_…');
		expect(sent.map(({ headers }) => headers['X-API-Key'])).toEqual(['sk_l']);
	});

	it('names every invalid option, without showing the API key', () => {
		const transport: Transport = {
			send: () => Promise.reject(new Error('must not send')),
			sleep: () => Promise.resolve(),
		};
		const make = () => createClient({ baseUrl: 'nowhere', apiKey: 'secret-value', transport });
		expect(make).toThrow(InputError);
		expect(make).toThrow(/apiKey .*; baseUrl /);
		expect(make).not.toThrow(/secret-value/);
	});
});
