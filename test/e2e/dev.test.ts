import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod/v4';
import { endAllDemos, startDemo } from '../support/e2e/demo';
import { logIn } from '../support/e2e/n8nApi';
import { openSandboxView } from '../support/e2e/sandboxView';
import { eventually } from '../support/eventually';

const project = join(__dirname, '..', '..');

/** The folders and files that `npm run dev` reads. */
const sources = ['credentials', 'docs', 'examples', 'nodes', 'relay', 'sandbox', 'scripts', 'shared', 'ui'];
const settings = ['package.json', 'package-lock.json', 'tsconfig.json'];

/** n8n's response about node types. */
const nodeTypes = z.object({ data: z.array(z.object({ displayName: z.string() })) });

/** A copy of the project, because the test edits it. */
let copy: string;

/** Replaces text in a source file of the copy. */
function edit(file: string, before: string, after: string): void {
	const text = readFileSync(join(copy, file), 'utf8');
	expect(text).toContain(before);
	writeFileSync(join(copy, file), text.replace(before, after));
}

beforeAll(() => {
	copy = mkdtempSync(join(tmpdir(), 'messaging-service-dev-'));
	for (const name of [...sources, ...settings]) {
		const filter = (file: string) => !file.endsWith('node_modules');
		cpSync(join(project, name), join(copy, name), { recursive: true, filter });
	}
	for (const modules of ['node_modules', join('relay', 'node_modules')]) {
		symlinkSync(join(project, modules), join(copy, modules));
	}
	mkdirSync(join(copy, '.local'));
	symlinkSync(join(project, '.local', 'n8n-server'), join(copy, '.local', 'n8n-server'));
});

afterAll(async () => {
	await endAllDemos();
	rmSync(copy, { recursive: true, force: true });
});

test('npm run dev reloads a changed node in n8n, and restarts a changed sandbox with its data', async () => {
	const demo = startDemo(
		['--port', '4661', '--sandbox-port', '4681', '--relay-port', '4691'],
		{},
		join(copy, 'scripts', 'dev.mjs'),
	);
	const { n8nUrl, sandboxUrl, email, password } = await demo.ready();
	const editor = await logIn(n8nUrl, { email, password });
	async function displayName(): Promise<string | undefined> {
		const nodeInfos = [{ name: 'n8n-nodes-messaging-service.messagingService', version: 1 }];
		const response = await editor('POST', '/rest/node-types', { nodeInfos });
		// While n8n reloads the package, it does not know the node, and responds with an error.
		if (!response.ok) return undefined;
		return nodeTypes.parse(await response.json()).data[0]?.displayName;
	}
	expect(await displayName()).toBe('Messaging Service');

	edit('nodes/MessagingService/MessagingService.node.ts', `'Messaging Service'`, `'Changed Service'`);
	await eventually('the changed node', async () => ((await displayName()) === 'Changed Service' ? true : undefined));

	const sandbox = openSandboxView(sandboxUrl);
	await sandbox.text('+233244000777', 'KOFISHOP', 'HOURS');
	const ids = async () => (await sandbox.messages()).map(({ message_id }) => message_id);
	const sent = await eventually('the reply', async () => {
		const found = await ids();
		return found.length > 0 ? found : undefined;
	});
	edit('sandbox/main.ts', '`ready ', '`restarted\\nready ');
	await eventually('the restarted sandbox', () =>
		/^restarted\nready /m.test(readFileSync(join(copy, '.local', 'state', 'sandbox.log'), 'utf8')) ? true : undefined,
	);
	expect(await ids()).toEqual(sent);

	demo.child.kill('SIGINT');
	expect(await demo.ended()).toBe(0);
});
