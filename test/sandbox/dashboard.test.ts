import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'undici';
import { sections } from '../../sandbox/ui/dashboard/sections';
import { createBundles } from '../../ui/server/bundles';
import { eventually } from '../support/eventually';
import { run } from '../support/testSandbox';

const projectFolder = join(__dirname, '..', '..');
const uiFolder = join(projectFolder, 'sandbox', 'ui');

/** Lists the source files of all pages and their components. */
async function sources(): Promise<string[]> {
	const folders = [uiFolder, join(projectFolder, 'ui')];
	const files = await Promise.all(
		folders.map(async (folder) => (await readdir(folder, { recursive: true })).map((file) => join(folder, file))),
	);
	return files.flat().filter((file) => /\.(tsx?|js)$/.test(file));
}

/** Lists the pages: the folders that have an entry. */
async function pages(): Promise<string[]> {
	const files = await readdir(uiFolder, { recursive: true });
	return files.filter((file) => /^\w+\/index\.tsx$/.test(file)).map((file) => file.replace('/index.tsx', ''));
}

/** Lists the command lines of this process's children. */
async function childProcesses(): Promise<string> {
	const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'ppid=,args=']);
	return stdout
		.split('\n')
		.filter((line) => Number.parseInt(line) === process.pid)
		.join('\n');
}

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

	it('links to every section once, and each has a view', async () => {
		const app = await readFile(join(uiFolder, 'dashboard', 'App.tsx'), 'utf8');
		const table = /const views[^=]*= \{([^}]*)\}/.exec(app)?.[1] ?? '';
		const views = [...table.matchAll(/^\s*'?([\w-]+)'?: [\w.]+/gm)].map(([, name]) => name);
		expect(views.length).toBeGreaterThanOrEqual(15);
		expect(sections.map(({ name }) => name).sort()).toEqual(views.sort());
	});

	it('has every element that its scripts look for', async () => {
		await using sandbox = await run();
		const page = await (await fetch(sandbox.sandbox.url)).text();
		expect(page).toContain('<div id="app">');
		for (const [, path = ''] of page.matchAll(/(?:src|href)="(\/ui\/[^"]+)"/g)) {
			expect([path, (await fetch(sandbox.sandbox.url + path)).status]).toEqual([path, 200]);
		}
	});

	it('shows the connection details without scripts', async () => {
		await using sandbox = await run();
		const page = await (await fetch(sandbox.sandbox.url)).text();
		expect(page).toContain(`<code>${sandbox.sandbox.baseUrl}</code>`);
		expect(page).toContain('<noscript>');
	});
});

describe('the files of the pages', () => {
	it('are all served with their type, under the strict policy', async () => {
		await using sandbox = await run();
		const types = {
			js: 'text/javascript; charset=utf-8',
			css: 'text/css; charset=utf-8',
			'js.map': 'application/json; charset=utf-8',
		};
		const names = await pages();
		expect(names).toContain('dashboard');
		for (const name of names) {
			for (const [extension, type] of Object.entries(types)) {
				const path = `/ui/${name}.${extension}`;
				const response = await fetch(sandbox.sandbox.url + path);
				expect([path, response.status]).toEqual([path, 200]);
				expect(response.headers.get('content-type')).toBe(type);
				expect(response.headers.get('x-content-type-options')).toBe('nosniff');
				expect(response.headers.get('cache-control')).toBe('no-cache');
				expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self'/);
				expect((await response.text()).length).toBeGreaterThan(500);
			}
		}
	});

	it('import nothing at run time, because each is a whole bundle', async () => {
		await using sandbox = await run();
		for (const name of await pages()) {
			const script = await (await fetch(`${sandbox.sandbox.url}/ui/${name}.js`)).text();
			expect(script).not.toMatch(/\bimport\s*[({'"]/);
		}
	});

	it('are built once in a process, and leave no process of the builder', async () => {
		const readBundle = createBundles(uiFolder);
		const [bundle, same] = await Promise.all([readBundle(), readBundle()]);
		expect(same).toBe(bundle);
		const types = ['css', 'css.map', 'js', 'js.map'];
		const files = (await pages()).flatMap((page) => types.map((type) => `${page}.${type}`));
		expect([...bundle.keys()].sort()).toEqual([...files, 'icon.svg'].sort());
		await eventually('the end of the builder', async () =>
			(await childProcesses()).includes('esbuild') ? undefined : true,
		);
	});

	it('never make markup from data', async () => {
		const files = await sources();
		expect(files.length).toBeGreaterThan(30);
		for (const file of files) {
			const script = await readFile(file, 'utf8');
			expect([file, script]).toEqual([
				file,
				expect.not.stringMatching(
					/innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|document\.write|\beval\b|new Function/,
				),
			]);
		}
	});

	it.each([
		'/ui/dashboard/',
		'/ui/dashboard.tsx',
		'/ui/dashboard/index.tsx',
		'/ui/dashboard/App.tsx',
		'/ui/dashboardPage.ts',
		'/ui/appPages.ts',
		'/ui/dashboard/../dashboardPage.ts',
		'/ui/dashboard/..%2f..%2fserver.ts',
		'/ui/dashboard/%2e%2e/%2e%2e/server.ts',
		'/ui/dashboard/..\\..\\server.ts',
		'/ui/dashboard.js%00.css',
		'/ui/..%2fdashboard.js',
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
		expect(await policyOf('/ui/dashboard.js')).toContain("frame-ancestors 'none'");
	});
});
