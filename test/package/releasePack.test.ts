import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { z } from 'zod/v4';

const root = join(__dirname, '..', '..');
const outputs = z.object({ tarball: z.string() });

let work: string;
let tarball: string;

beforeAll(() => {
	work = mkdtempSync(join(tmpdir(), 'release-pack-'));
	const outputFile = join(work, 'outputs');
	const run = spawnSync(
		process.execPath,
		[
			join(root, 'node_modules', 'tsx', 'dist', 'cli.mjs'),
			join(root, 'scripts', 'release-pack.ts'),
			...['--out', join(work, 'out')],
		],
		{ encoding: 'utf8', env: { PATH: process.env.PATH, HOME: work, GITHUB_OUTPUT: outputFile } },
	);
	expect(run).toMatchObject({ status: 0 });
	const lines = readFileSync(outputFile, 'utf8').trim().split('\n');
	({ tarball } = outputs.parse(Object.fromEntries(lines.map((line) => line.split('=')))));
}, 120_000);
afterAll(() => rmSync(work, { recursive: true, force: true }));

const published = z.looseObject({
	name: z.string(),
	access: z.string(),
	'dist-tags': z.record(z.string(), z.string()),
	versions: z.record(z.string(), z.looseObject({ dist: z.looseObject({ integrity: z.string() }) })),
	_attachments: z.record(z.string(), z.looseObject({ data: z.string() })),
});

/** A registry on this machine that knows no package yet, and keeps the uploaded one. */
async function startRegistry() {
	const uploads: unknown[] = [];
	const server = createServer((request, response) => {
		void text(request).then((body) => {
			if (request.method === 'PUT') uploads.push(JSON.parse(body));
			response.statusCode = request.method === 'PUT' ? 201 : 404;
			response.end('{}');
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	return {
		host: `127.0.0.1:${port}/`,
		uploads,
		[Symbol.asyncDispose]: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}

/** Publishes the packed file as the workflow does, to a registry on this machine. */
async function publish(host: string, ...flags: string[]) {
	const args = [
		'publish',
		tarball,
		'--access',
		'public',
		'--registry',
		`http://${host}`,
		`--//${host}:_authToken=test`,
	];
	const options = { cwd: root, env: { PATH: process.env.PATH, HOME: work } };
	return await promisify(execFile)('npm', [...args, ...flags], options);
}

it('npm publishes the file that was packed and scanned, under the dist-tag of the version', async () => {
	await using registry = await startRegistry();
	await publish(registry.host, '--tag', 'next', '--provenance=false');
	const [upload] = z.array(published).length(1).parse(registry.uploads);
	expect(upload).toMatchObject({ name: 'n8n-nodes-messaging-service', access: 'public' });
	const { version } = z
		.looseObject({ version: z.string() })
		.parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));
	expect(upload?.['dist-tags']).toEqual({ next: version });
	const [attachment] = Object.values(upload?._attachments ?? {});
	const bytes = Buffer.from(attachment?.data ?? '', 'base64');
	expect(bytes.equals(readFileSync(tarball))).toBe(true);
	const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
	expect(upload?.versions[version]?.dist.integrity).toBe(integrity);
}, 60_000);

// GitHub signs the statement, so the rest of the way can't be tried here.
it('npm rejects a publication with provenance outside of a workflow', async () => {
	await using registry = await startRegistry();
	await expect(publish(registry.host, '--tag', 'next', '--provenance')).rejects.toMatchObject({
		stderr: expect.stringContaining('provenance') as string,
	});
	expect(registry.uploads).toEqual([]);
}, 60_000);
