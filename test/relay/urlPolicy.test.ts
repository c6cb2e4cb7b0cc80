import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import { createAttempts } from '../../relay/delivery/attempt';
import { createUrlPolicy, type LookupAll } from '../../relay/subscriptions/urlPolicy';
import { startReceiver, type Receiver } from '../support/relay/receiver';

/** Names and what they lead to. Other names do not exist. */
function namesOf(names: Readonly<Record<string, readonly string[]>>): LookupAll {
	return (host, _options, done) => {
		const found: LookupAddress[] = (names[host] ?? []).map((address) => ({
			address,
			family: address.includes(':') ? 6 : 4,
		}));
		if (found.length > 0) done(null, found);
		else done(Object.assign(new Error('not found'), { code: 'ENOTFOUND' }), []);
	};
}

/** All spellings of addresses that are not public. `resolves`: the form is a name, which only the connection shows. */
const PRIVATE = [
	['loopback', '127.0.0.1'],
	['loopback, another address', '127.8.9.10'],
	['decimal', '2130706433'],
	['hexadecimal', '0x7f000001'],
	['hexadecimal parts', '0x7f.0.0.0x1'],
	['octal', '0177.0.0.1'],
	['octal without dots', '017700000001'],
	['short', '127.1'],
	['shortest', '0'],
	['unspecified', '0.0.0.0'],
	['private 10/8', '10.0.0.1'],
	['private 172.16/12', '172.31.255.255'],
	['private 192.168/16', '192.168.1.1'],
	['decimal of a private address', '167772161'],
	['carrier-grade NAT', '100.64.0.1'],
	['link-local', '169.254.0.1'],
	['metadata of a cloud', '169.254.169.254'],
	['metadata in hexadecimal', '0xa9fea9fe'],
	['protocol assignments', '192.0.0.8'],
	['benchmarking', '198.18.0.1'],
	['documentation', '203.0.113.7'],
	['multicast', '224.0.0.1'],
	['reserved', '240.0.0.1'],
	['broadcast', '255.255.255.255'],
	['short form of a private address', '192.168.257'],
	['octal and hexadecimal mixed', '012.0x0.0.1'],
	['metadata in octal', '0251.0376.0251.0376'],
	['metadata of Alibaba', '100.100.100.200'],
	['percent-encoded', '%31%32%37.0.0.1'],
	['ideographic dots', '127。0。0。1'],
	['circled digits', '①②⑦.⓪.⓪.①'],
	['a soft hyphen', '127.0.0\u00AD.1'],
	['a tab', '127.\t0.0.1'],
	['full-width digits', '１２７.0.0.1'],
	['with the dot of the root', '127.0.0.1.'],
	['IPv6 loopback', '[::1]'],
	['IPv6 loopback, long', '[0:0:0:0:0:0:0:1]'],
	['IPv6 unspecified', '[::]'],
	['mapped', '[::ffff:10.0.0.1]'],
	['mapped in hexadecimal', '[::ffff:7f00:1]'],
	['IPv4-compatible', '[::10.0.0.1]'],
	['translated', '[::ffff:0:10.0.0.1]'],
	['NAT64', '[64:ff9b::10.0.0.1]'],
	['local NAT64', '[64:ff9b:1::10.0.0.1]'],
	['NAT64 of metadata', '[64:ff9b::a9fe:a9fe]'],
	['NAT64 of loopback', '[64:ff9b::7f00:1]'],
	['6to4', '[2002:a00:1::]'],
	['6to4 of loopback', '[2002:7f00:1::]'],
	['6to4 of metadata', '[2002:a9fe:a9fe::1]'],
	['mapped metadata', '[::ffff:169.254.169.254]'],
	['Teredo', '[2001::1]'],
	['discard only', '[100::1]'],
	['IPv6 link-local', '[fe80::1]'],
	['site-local', '[fec0::1]'],
	['unique local', '[fd00::1]'],
	['metadata of a cloud over IPv6', '[fd00:ec2::254]'],
	['IPv6 multicast', '[ff02::1]'],
	['IPv6 documentation', '[2001:db8::1]'],
	['bare name', 'n8n'],
	['bare name with the dot of the root', 'n8n.'],
	['bare name in other letters', 'bücher'],
	['localhost', 'localhost'],
	['localhost with the dot of the root', 'localhost.'],
	['localhost in capitals', 'LOCALHOST'],
	['below localhost', 'relay.localhost'],
	['only the root', '.'],
] as const;

const all = { onlyZapier: false };

describe('the URL of a subscription', () => {
	it.each(PRIVATE)('is rejected if its host is private: %s (%s)', (_name, host) => {
		for (const protocol of ['https', 'http']) {
			const issue = createUrlPolicy([]).check(`${protocol}://${host}/hook`, all);
			expect(issue).toEqual({
				code: 'url_blocked',
				message: expect.stringContaining('add it to RELAY_ALLOW') as string,
			});
		}
	});

	it.each([
		['https://example.com/hook', undefined],
		['https://example.com:8443/hook?a=b', undefined],
		['https://EXAMPLE.com./hook', undefined],
		['https://xn--bcher-kva.example/hook', undefined],
		['https://bücher.example/hook', undefined],
		['https://8.8.8.8/hook', undefined],
		['https://[2001:4860:4860::8888]/hook', undefined],
		['https://[::ffff:8.8.8.8]/hook', undefined],
		['http://example.com/hook', 'url_needs_https'],
		['http://8.8.8.8/hook', 'url_needs_https'],
		['https://ama@example.com/', 'invalid'],
		['https://ama:secret@example.com/', 'invalid'],
		['https://example.com@127.0.0.1/', 'invalid'],
		['https://:@127.0.0.1/', 'url_blocked'],
		['https://127.0.0.1#@example.com/', 'url_blocked'],
		['https://127.0.0.1\\@example.com/', 'url_blocked'],
		['https:127.0.0.1/', 'url_blocked'],
		['https:\\\\127.0.0.1\\', 'url_blocked'],
		['https://127.0.0.1:443\n/', 'url_blocked'],
		['ftp://example.com/', 'invalid'],
		['file:///etc/passwd', 'invalid'],
		['gopher://127.0.0.1:6379/', 'invalid'],
		['javascript:alert(1)', 'invalid'],
		['data:text/plain,x', 'invalid'],
		['example.com/hook', 'invalid'],
		['//example.com/hook', 'invalid'],
		['', 'invalid'],
		['https://', 'invalid'],
		['https://[::1/', 'invalid'],
		['https://[fe80::1%25eth0]/', 'invalid'],
		['https://1.2.3.4.5/', 'invalid'],
	])('%s: %s', (url, code) => {
		expect(createUrlPolicy([]).check(url, all)?.code).toBe(code);
	});
});

describe('RELAY_ALLOW', () => {
	it.each([
		['an address', ['10.0.0.5'], 'http://10.0.0.5/', undefined],
		['only this address', ['10.0.0.5'], 'http://10.0.0.6/', 'url_blocked'],
		['an address in another spelling of the URL', ['127.0.0.1'], 'http://0x7f.1/', undefined],
		['a mapped address', ['10.0.0.5'], 'http://[::ffff:10.0.0.5]/', undefined],
		['a range', ['10.1.0.0/16'], 'http://10.1.200.3/', undefined],
		['only this range', ['10.1.0.0/16'], 'http://10.2.0.1/', 'url_blocked'],
		['an IPv6 address', ['::1'], 'http://[::1]:5678/', undefined],
		['an IPv6 range', ['fd00::/8'], 'http://[fd12::5]/', undefined],
		['a bare name', ['n8n'], 'http://n8n:5678/webhook', undefined],
		['a bare name with another spelling', ['N8N.'], 'http://n8n:5678/webhook', undefined],
		['a name in other letters', ['bücher.example'], 'http://xn--bcher-kva.example/', undefined],
		['a name', ['n8n.internal.example'], 'http://n8n.internal.example/', undefined],
		['only this name', ['n8n.internal.example'], 'http://other.internal.example/', 'url_needs_https'],
		['not names below it', ['example.com'], 'http://a.example.com/', 'url_needs_https'],
		['loopback as localhost', ['127.0.0.1'], 'http://localhost:5678/', undefined],
		['localhost by name', ['localhost'], 'http://localhost:5678/', undefined],
		['localhost, but not its address', ['localhost'], 'http://127.0.0.1/', 'url_blocked'],
		['no other protocol', ['127.0.0.1'], 'ftp://127.0.0.1/', 'invalid'],
		['no http to public addresses', ['0.0.0.0/0'], 'http://8.8.8.8/', 'url_needs_https'],
	])('lists %s', (_name, allow, url, code) => {
		expect(createUrlPolicy(allow).check(url, all)?.code).toBe(code);
	});
});

describe('a Zapier token', () => {
	it.each([
		['https://hooks.zapier.com/hooks/standard/1/2/', [], undefined],
		['https://HOOKS.zapier.com./hooks/standard/1/2/', [], undefined],
		['http://hooks.zapier.com/hooks/', [], 'url_needs_https'],
		['https://hooks.zapier.com.example.com/', [], 'url_blocked'],
		['https://evil-hooks.zapier.com.evil.example/', [], 'url_blocked'],
		['https://zapier.com/', [], 'url_blocked'],
		['https://example.com/', [], 'url_blocked'],
		['https://8.8.8.8/', [], 'url_blocked'],
		['http://127.0.0.1:1/', ['127.0.0.1'], undefined],
		['https://hooks.example.com/', ['hooks.example.com'], undefined],
		['https://example.com@hooks.zapier.com/', [], 'invalid'],
	])('%s with %j: %s', (url, allow, code) => {
		expect(createUrlPolicy(allow).check(url, { onlyZapier: true })?.code).toBe(code);
	});
});

describe('the address that is connected to', () => {
	const find = async (
		names: Readonly<Record<string, readonly string[]>>,
		allow: string[],
		host: string,
		isAll = true,
	) =>
		await new Promise<unknown>((resolve) =>
			createUrlPolicy(allow, namesOf(names)).lookup(host, { all: isAll }, (error, found) =>
				resolve(error ? (error.code ?? error.name) : found),
			),
		);

	it.each(PRIVATE.filter(([, host]) => /^(\d+\.){3}\d+$|^\[/.test(host)))(
		'is rejected if a name leads to a private one: %s (%s)',
		async (_name, host) => {
			expect(await find({ 'a.example': [host.replace(/[[\]]/g, '')] }, [], 'a.example')).toBe('EBLOCKED');
		},
	);

	it('is rejected if one of several addresses of a name is private', async () => {
		expect(await find({ 'a.example': ['8.8.8.8', '10.0.0.1'] }, [], 'a.example')).toBe('EBLOCKED');
	});

	it('is allowed if all addresses of a name are public or listed', async () => {
		const names = { 'a.example': ['8.8.8.8', '10.0.0.1'] };
		expect(await find(names, ['10.0.0.0/8'], 'a.example')).toHaveLength(2);
		expect(await find(names, ['10.0.0.0/8'], 'a.example', false)).toBe('8.8.8.8');
		expect(await find({ n8n: ['172.18.0.2'] }, ['n8n'], 'n8n')).toHaveLength(1);
	});

	it('uses only the listed address of localhost', async () => {
		const names = { localhost: ['::1', '127.0.0.1'] };
		expect(await find(names, ['127.0.0.1'], 'localhost')).toEqual([{ address: '127.0.0.1', family: 4 }]);
		expect(await find(names, [], 'localhost')).toBe('EBLOCKED');
	});

	it('keeps the reason if a name does not exist', async () => {
		expect(await find({}, [], 'a.example')).toBe('ENOTFOUND');
	});
});

describe('a delivery', () => {
	const event = { id: 'evt_1', type: 'relay.test', timestamp: '2026-01-01T00:00:00.000Z', sequence: 1, data: {} };
	const secret = `whsec_${Buffer.alloc(32).toString('base64')}`;
	let inside: Receiver;
	let portOfInside: string;

	beforeAll(async () => {
		inside = await startReceiver();
		portOfInside = new URL(inside.url).port;
	});
	afterAll(async () => await inside.close());

	async function attempt(url: string, allow: readonly string[], lookup: LookupAll, onlyZapier = false) {
		const { attempt: send, close } = createAttempts(createUrlPolicy(allow, lookup), 10_000);
		const result = await send({ url, secret, onlyZapier }, [event], { isBatch: false, replays: 0 });
		await close();
		return result;
	}

	it('does not reach a name that was public at subscribing and is private at connect (DNS rebinding)', async () => {
		const url = `https://rebind.example:${portOfInside}/hook`;
		expect(createUrlPolicy([]).check(url, all)).toBeUndefined();
		const result = await attempt(url, [], namesOf({ 'rebind.example': ['127.0.0.1'] }));
		expect(result).toMatchObject({ ok: false, status: null, error: expect.stringContaining('RELAY_ALLOW') as string });
		expect(inside.requests).toHaveLength(0);
	});

	it('does not reach a literal address that RELAY_ALLOW no longer lists', async () => {
		const result = await attempt(inside.url, [], systemLookup);
		expect(result).toMatchObject({ ok: false, status: null, error: expect.stringContaining('private') as string });
		expect(inside.requests).toHaveLength(0);
	});

	it('does not leave hooks.zapier.com for a Zapier token', async () => {
		const result = await attempt('https://example.com/', [], namesOf({}), true);
		expect(result).toMatchObject({ ok: false, error: expect.stringContaining('hooks.zapier.com') as string });
	});

	it('does not follow a redirect to a private address', async () => {
		const outside = await startReceiver();
		outside.respond = () => ({ status: 307, headers: { location: inside.url } });
		const url = outside.url.replace('127.0.0.1', 'outside.example');
		const result = await attempt(url, ['outside.example'], namesOf({ 'outside.example': ['127.0.0.1'] }));
		expect(result).toMatchObject({ ok: false, status: 307 });
		expect(outside.requests).toHaveLength(1);
		expect(inside.requests).toHaveLength(0);
		await outside.close();
	});

	it('reaches a private receiver by its listed name', async () => {
		const url = inside.url.replace('127.0.0.1', 'n8n');
		const result = await attempt(url, ['n8n'], namesOf({ n8n: ['127.0.0.1'] }));
		expect(result).toMatchObject({ ok: true, status: 200 });
		expect(inside.requests).toHaveLength(1);
	});
});
