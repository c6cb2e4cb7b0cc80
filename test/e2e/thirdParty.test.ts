import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ProxyAgent, request } from 'undici';
import { makeCertificate } from '../support/thirdParty/certificate';
import { openGoogle } from '../support/thirdParty/google';
import { readRange } from '../support/thirdParty/google/a1';
import { startThirdPartyProxy, type ThirdPartyProxy } from '../support/thirdParty/proxy';

const folder = mkdtempSync(join(tmpdir(), 'third-party-'));
const google = openGoogle();
let proxy: ThirdPartyProxy;
let agent: ProxyAgent;

beforeAll(async () => {
	const certificate = await makeCertificate(Object.keys(google.hosts), join(folder, 'third-party.pem'));
	proxy = await startThirdPartyProxy(google.hosts, certificate);
	const { HTTPS_PROXY: uri, NODE_EXTRA_CA_CERTS: file } = proxy.environment;
	agent = new ProxyAgent({ uri, requestTls: { ca: readFileSync(file) } });
});

afterAll(async () => {
	await agent.destroy();
	await proxy.close();
	rmSync(folder, { recursive: true });
});

describe('the proxy with the stand-ins', () => {
	test('serves a stand-in under the host of its company, and rejects every other host', async () => {
		const served = await request('https://sheets.googleapis.com/v4/spreadsheets/none', { dispatcher: agent });
		expect(served.statusCode).toBe(401);
		expect(await served.body.json()).toMatchObject({ error: { code: 401, status: 'UNAUTHENTICATED' } });
		expect(proxy.rejected).toEqual([]);

		for (const host of ['www.example.com', 'sheets.googleapis.com:8443']) {
			await expect(request(`https://${host}/`, { dispatcher: agent })).rejects.toThrow();
		}
		expect(proxy.rejected).toEqual(['www.example.com:443', 'sheets.googleapis.com:8443']);
	});

	test('serves no program that does not know the certificate', async () => {
		const careful = new ProxyAgent(proxy.environment.HTTPS_PROXY);
		await expect(request('https://sheets.googleapis.com/', { dispatcher: careful })).rejects.toThrow(/certificate/);
		await careful.destroy();
	});
});

test.each([
	['Sheet1', { sheet: 'Sheet1', top: 0, left: 0, bottom: undefined, right: undefined }],
	["'Fees 2026'", { sheet: 'Fees 2026', top: 0, left: 0, bottom: undefined, right: undefined }],
	['Sheet1!A:Z', { sheet: 'Sheet1', top: 0, left: 0, bottom: undefined, right: 26 }],
	['Sheet1!2:3', { sheet: 'Sheet1', top: 1, left: 0, bottom: 3, right: undefined }],
	["'Ama''s'!AB12", { sheet: "Ama's", top: 11, left: 27, bottom: 12, right: 28 }],
	['Sheet1!', undefined],
])('reads the range %s as Google does', (text, range) => {
	expect(readRange(text)).toEqual(range);
});
