import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { z } from 'zod/v4';
import { endpoints } from '../../shared/contract';
import { curlOf } from '../../sandbox/ui/docs/curl';
import { type ApiDocument, fieldsOf } from '../../sandbox/ui/docs/document';
import published from '../../docs/openapi.json';
import { run } from '../support/testSandbox';

const operation = z.custom<ApiDocument['paths'][string][string]>((value) => typeof value === 'object');
const apiDocument = z.looseObject({
	servers: z.tuple([z.object({ url: z.string() })]),
	paths: z.record(z.string(), z.record(z.string(), operation)),
});

async function readDocument(url: string) {
	const response = await fetch(`${url}/openapi.json`);
	return apiDocument.parse(await response.json());
}

describe('the OpenAPI document of the sandbox', () => {
	it('is the published one, with the sandbox as its server', async () => {
		await using sandbox = await run();
		const document = await readDocument(sandbox.sandbox.url);
		expect(document).toEqual({ ...published, servers: [{ url: sandbox.sandbox.baseUrl.replace(/\/$/, '') }] });
	});
});

describe('the page of the API', () => {
	it('has commands that the service accepts, except for IDs that do not exist', async () => {
		await using sandbox = await run();
		const { url, apiKey } = sandbox.sandbox;
		const { paths, servers } = await readDocument(url);
		const statuses: Record<string, string> = {};
		for (const [path, methods] of Object.entries(paths)) {
			for (const [method, call] of Object.entries(methods)) {
				const command = curlOf(method, path, call, { url: servers[0].url, apiKey });
				const { stdout } = await promisify(execFile)('sh', ['-c', `${command} -s -o /dev/null -w '%{http_code}'`]);
				statuses[call.operationId] = stdout;
			}
		}
		const expected = endpoints.map(({ id, path }) => [id, path.includes('{') ? '404' : '200']);
		expect(statuses).toEqual(Object.fromEntries(expected));
	});

	it('names the fields of a call with their types and limits', () => {
		const { paths } = published;
		expect(fieldsOf(operation.parse(paths['/sms/bulk'].post))).toContainEqual({
			name: 'to',
			type: 'list of text',
			required: true,
			description: 'Phone number in E.164 format.',
		});
		expect(fieldsOf(operation.parse(paths['/sms/send'].post))).toContainEqual({
			name: 'message',
			type: 'text',
			required: true,
			description: 'Text of the message. At most 1600 characters.',
		});
	});

	it('quotes what a shell would read as its own signs', () => {
		const call = operation.parse({
			operationId: 'sms.send',
			summary: '',
			responses: {},
			requestBody: { content: { 'application/json': { schema: {}, example: { message: "It's $HOME" } } } },
		});
		expect(curlOf('post', '/sms/send', call, { url: 'http://127.0.0.1:1', apiKey: 'k' })).toContain(
			`-d '{"message":"It'\\''s $HOME"}'`,
		);
	});
});
