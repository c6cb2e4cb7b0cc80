import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'undici';
import { run } from './testSandbox';

const folder = join(__dirname, '..', '..', 'sandbox', 'ui', 'dashboard');

describe('the dashboard’s page', () => {
	it('has the data that its scripts need, escaped', async () => {
		await using sandbox = await run({ apiKey: 'sk_sandbox_"><b>' });
		const { url, baseUrl } = sandbox.sandbox;
		const text = await (await fetch(url)).text();
		expect(text).toContain(`data-base-url="${baseUrl}"`);
		expect(text).toContain('data-api-key="sk_sandbox_&quot;&gt;&lt;b&gt;"');
		expect(text).toContain('sms.sendBulk');
		expect(text).not.toContain('<b>');
	});

	it('links to every section, and to no other', async () => {
		await using sandbox = await run();
		const page = await (await fetch(sandbox.sandbox.url)).text();
		const start = await readFile(join(folder, 'start.js'), 'utf8');
		const table = /const sections = \{([^}]*)\}/.exec(start)?.[1] ?? '';
		const sections = [...table.matchAll(/^\s*'?([\w-]+)'?(?:: \w+)?,$/gm)].map(([, name]) => name);
		expect(sections.length).toBeGreaterThanOrEqual(15);
		const linked = [...page.matchAll(/href="\/#\/([\w-]+)"/g)].map(([, name]) => name);
		expect([...new Set(linked)].sort()).toEqual(sections.sort());
	});

	it('has every element that its scripts look for', async () => {
		await using sandbox = await run();
		const page = await (await fetch(sandbox.sandbox.url)).text();
		for (const file of await readdir(folder)) {
			const script = await readFile(join(folder, file), 'utf8');
			for (const [, id = ''] of script.matchAll(/getElementById\('([\w-]+)'\)/g)) expect(page).toContain(`id="${id}"`);
		}
	});
});

describe('the dashboard’s files', () => {
	it('are all served with their type, under the strict policy', async () => {
		await using sandbox = await run();
		const { url } = sandbox.sandbox;
		const types = { js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8' };
		for (const file of await readdir(folder)) {
			const response = await fetch(`${url}/ui/dashboard/${file}`);
			expect([file, response.status]).toEqual([file, 200]);
			expect(response.headers.get('content-type')).toBe(file.endsWith('.css') ? types.css : types.js);
			expect(response.headers.get('x-content-type-options')).toBe('nosniff');
			expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self'/);
			expect(await response.text()).toBe(await readFile(join(folder, file), 'utf8'));
		}
	});

	it('import only files that are served', async () => {
		const files = await readdir(folder);
		for (const file of files) {
			const script = await readFile(join(folder, file), 'utf8');
			for (const [, path = ''] of script.matchAll(/from '([^']+)'/g)) {
				expect(files).toContain(path.replace(/^\.\//, ''));
			}
		}
	});

	it('never become markup', async () => {
		for (const file of await readdir(folder)) {
			const script = await readFile(join(folder, file), 'utf8');
			expect(script).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function/);
		}
	});

	it.each([
		'/ui/dashboard/',
		'/ui/dashboard/start.ts',
		'/ui/dashboardPage.ts',
		'/ui/dashboard/../dashboardPage.ts',
		'/ui/dashboard/..%2f..%2fserver.ts',
		'/ui/dashboard/%2e%2e/%2e%2e/server.ts',
		'/ui/dashboard/..\\..\\server.ts',
		'/ui/dashboard/start.js%00.css',
		'/ui/..%2f..%2fpackage.json',
	])('give no access to other files: %s', async (path) => {
		await using sandbox = await run();
		// `fetch` would normalize the dots in the path.
		const client = new Client(sandbox.sandbox.url);
		const { statusCode, body } = await client.request({ method: 'GET', path });
		await body.dump();
		await client.close();
		expect([400, 404]).toContain(statusCode);
	});

	it('cannot be framed, except the phone by the sandbox’s own pages', async () => {
		await using sandbox = await run();
		const policyOf = async (path: string) =>
			(await fetch(sandbox.sandbox.url + path)).headers.get('content-security-policy');
		expect(await policyOf('/')).toContain("frame-ancestors 'none'");
		expect(await policyOf('/')).toContain("frame-src 'self'");
		expect(await policyOf('/phone')).toContain("frame-ancestors 'self'");
		expect(await policyOf('/ui/dashboard/start.js')).toContain("frame-ancestors 'none'");
	});
});
