import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod/v4';
import { unexpectedFiles } from '../../scripts/lib/release/contents';

const root = join(__dirname, '..', '..');
const manifest = z.looseObject({
	name: z.string(),
	n8n: z.looseObject({ nodes: z.array(z.string()), credentials: z.array(z.string()) }),
	dependencies: z.record(z.string(), z.string()).optional(),
	peerDependencies: z.record(z.string(), z.string()),
});

let work: string;
let packed: string;

beforeAll(() => {
	work = mkdtempSync(join(tmpdir(), 'packed-'));
	execFileSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', work], { cwd: root });
	const [tarball] = globSync('*.tgz', { cwd: work });
	execFileSync('tar', ['xzf', tarball ?? '', '-C', work], { cwd: work });
	packed = join(work, 'package');
});
afterAll(() => rmSync(work, { recursive: true, force: true }));

const readManifest = () => manifest.parse(JSON.parse(readFileSync(join(packed, 'package.json'), 'utf8')));
const files = () => globSync('**/*', { cwd: packed, withFileTypes: true }).filter((entry) => entry.isFile());
const scan = (folder: string) =>
	spawnSync(process.execPath, [join(root, 'scripts', 'n8n-scan', 'scan.mjs'), 'packed', folder], {
		encoding: 'utf8',
		// With jest's NODE_ENV=test, the rules of eslint-plugin-n8n-nodes-base expect other file names.
		env: { PATH: process.env.PATH },
	});

describe('the packed n8n package', () => {
	it('contains the files that n8n needs, and no others', () => {
		const names = globSync('**/*', { cwd: packed }).filter((name) => /\.\w+$|^LICENSE$/.test(name));
		expect(unexpectedFiles(names)).toEqual([]);
		const { n8n } = readManifest();
		const icons = ['messagingService.svg', 'messagingService.dark.svg'].map(
			(icon) => `dist/nodes/MessagingService/${icon}`,
		);
		const codex = n8n.nodes.map((node) => node.replace(/\.js$/, '.json'));
		expect(names).toEqual(expect.arrayContaining([...n8n.nodes, ...n8n.credentials, ...icons, ...codex]));
		expect(n8n.nodes).toHaveLength(globSync('nodes/**/*.node.ts', { cwd: root }).length);
		expect(n8n.credentials).toHaveLength(globSync('credentials/*.credentials.ts', { cwd: root }).length);
	});

	it('has no runtime dependencies', () => {
		const { dependencies, peerDependencies } = readManifest();
		expect(dependencies ?? {}).toEqual({});
		expect(peerDependencies).toEqual({ 'n8n-workflow': '*' });
	});

	it('requires only n8n-workflow, zod and crypto', () => {
		const required = files()
			.filter(({ name }) => name.endsWith('.js'))
			.flatMap(({ parentPath, name }) => {
				const code = readFileSync(join(parentPath, name), 'utf8');
				return [...code.matchAll(/\b(?:require|import)\(\s*["']([^"']+)["']\s*\)/g)].map((match) => match[1]);
			});
		expect(new Set(required)).toEqual(new Set(['n8n-workflow', 'zod/v4', 'crypto']));
	});

	it('contains no path of the machine that built it', () => {
		const leaking = files().filter(({ parentPath, name }) =>
			readFileSync(join(parentPath, name), 'utf8').includes(root),
		);
		expect(leaking.map(({ name }) => name)).toEqual([]);
	});

	// The test of release:pack runs it on the real package.
	it('the analysis of the n8n scan finds a broken rule', () => {
		const broken = join(work, 'broken');
		cpSync(packed, broken, { recursive: true });
		writeFileSync(join(broken, 'dist', 'nodes', 'broken.js'), 'setTimeout(() => console.log(globalThis), 1);');
		expect(scan(broken)).toMatchObject({
			status: 1,
			stderr: expect.stringContaining('setTimeout') as string,
		});
	});

	it.each(['zod', 'zod-4'])('loads with the %s that n8n supplies', (zod) => {
		const modules = join(work, `host-${zod}`, 'node_modules');
		mkdirSync(modules, { recursive: true });
		symlinkSync(join(root, 'node_modules', 'n8n-workflow'), join(modules, 'n8n-workflow'));
		symlinkSync(join(root, 'node_modules', zod), join(modules, 'zod'));
		const { n8n } = readManifest();
		const program = [...n8n.nodes, ...n8n.credentials]
			.map((file) => {
				const name = file.split('/').at(-1)?.split('.')[0] ?? '';
				return `console.log(new (require(${JSON.stringify(join(packed, file))}).${name})().constructor.name);`;
			})
			.join('\n');
		const run = spawnSync(process.execPath, ['-e', program], {
			encoding: 'utf8',
			env: { PATH: process.env.PATH, NODE_PATH: modules },
		});
		expect(run.stderr).toBe('');
		expect(run.stdout.trim().split('\n')).toEqual([
			'MessagingService',
			'MessagingServiceTrigger',
			'MessagingServiceWalletTrigger',
			'MessagingServiceApi',
			'MessagingServiceRelayApi',
			'MessagingServiceSignatureApi',
			'MessagingServiceWebhookApi',
		]);
	});
});
