import { join } from 'node:path';
import { z } from 'zod/v4';
import { errorSchema } from '../../relay/http/schemas';
import { expectGolden, formattingArtifact, render, type Entry } from '../support/golden';
import { createToken, subscribe } from '../support/relay/api';
import { allowConnections } from '../support/relay/allowConnections';
import { useDatabase } from '../support/relay/databases';
import { INGEST_SECRET, RELAY_TOKEN, type Relay } from '../support/relay/relay';

const HEADING = {
	title: 'What a client of the relay reads when a request is rejected',
	source: 'Status, code and field in brackets, then the message, as a client of the real server gets them.',
	test: 'test/relay/errors.golden.test.ts',
};

interface Rejected {
	readonly failure: string;
	readonly method: string;
	readonly path: string;
	readonly body?: unknown;
	readonly token?: string | undefined;
	readonly headers?: Readonly<Record<string, string>>;
	readonly status: number;
}

const database = useDatabase('postgres');
const entries: Entry[] = [];
let relay: Relay;

beforeAll(async () => {
	relay = await database().start();
});

/** Sends a request that the relay must reject, and keeps its message. */
async function reject(chapter: string, rejected: Rejected): Promise<void> {
	const { failure, method, path, body, headers, status } = rejected;
	const token = 'token' in rejected ? rejected.token : RELAY_TOKEN;
	const response = await fetch(`${relay.url}${path}`, {
		method,
		headers: {
			'content-type': 'application/json',
			...(token !== undefined && { authorization: `Bearer ${token}` }),
			...headers,
		},
		...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
	});
	const { error } = errorSchema.parse(await response.json());
	expect([failure, response.status]).toEqual([failure, status]);
	const where = path.replace(INGEST_SECRET, '<secret>').replace(/sub_\w{12,}/g, '<id>');
	const facts = [status, error.code, ...(error.field === undefined ? [] : [error.field])].join(', ');
	entries.push({ chapter, failure, where: `${method} ${where}`, shown: [`(${facts}) ${error.message}`] });
}

const hook = { url: 'https://example.com/hook', types: ['message.status'] };
const post = { method: 'POST', path: '/v1/subscriptions', status: 422 };

it.each<Rejected>([
	{ failure: 'no body', ...post, body: '' },
	{ failure: 'a body that is not JSON', ...post, body: '{"url":' },
	{ failure: 'a form', ...post, body: 'url=1', headers: { 'content-type': 'text/plain' }, status: 415 },
	{ failure: 'a list', ...post, body: [hook] },
	{ failure: 'a body above 256 KB', ...post, body: { ...hook, label: 'a'.repeat(300_000) }, status: 413 },
	{ failure: 'no URL', ...post, body: { types: hook.types } },
	{ failure: 'not a URL', ...post, body: { ...hook, url: 'example.com/hook' } },
	{ failure: 'http', ...post, body: { ...hook, url: 'http://example.com/hook' } },
	{ failure: 'a password in the URL', ...post, body: { ...hook, url: 'https://ama:pw@example.com/hook' } },
	{ failure: 'a private address', ...post, body: { ...hook, url: 'https://10.0.0.1/hook' } },
	{ failure: 'a private name', ...post, body: { ...hook, url: 'https://n8n/hook' } },
	{ failure: 'no types', ...post, body: { url: hook.url } },
	{ failure: 'an empty list of types', ...post, body: { ...hook, types: [] } },
	{ failure: 'an unknown type', ...post, body: { ...hook, types: ['sms.outbound'] } },
	{ failure: 'types as a text', ...post, body: { ...hook, types: 'sms.inbound' } },
	{ failure: 'an unknown field', ...post, body: { ...hook, color: 'blue' } },
	{ failure: 'an unknown filter', ...post, body: { ...hook, filter: { color: ['blue'] } } },
	{ failure: 'a filter as a text', ...post, body: { ...hook, filter: 'delivered' } },
	{ failure: 'a filter with too many values', ...post, body: { ...hook, filter: { to: Array(51).fill('a') } } },
	{ failure: 'a filter value that is a number', ...post, body: { ...hook, filter: { from: [233201234567] } } },
	{ failure: 'an unknown way to filter opt-outs', ...post, body: { ...hook, filter: { opt_outs: 'only' } } },
	{ failure: 'a label that is too long', ...post, body: { ...hook, label: 'a'.repeat(101) } },
	{ failure: 'a label with NUL', ...post, body: { ...hook, label: 'a\0' } },
	{ failure: 'an empty reference', ...post, body: { ...hook, reference: '' } },
	{ failure: 'a batch that is too large', ...post, body: { ...hook, batch: { max: 501, wait_ms: 0 } } },
	{ failure: 'a batch of none', ...post, body: { ...hook, batch: { max: 0, wait_ms: 0 } } },
	{ failure: 'a batch of one and a half', ...post, body: { ...hook, batch: { max: 1.5, wait_ms: 0 } } },
	{ failure: 'a batch that waits too long', ...post, body: { ...hook, batch: { max: 5, wait_ms: 60_001 } } },
	{ failure: 'a batch without a wait', ...post, body: { ...hook, batch: { max: 5 } } },
	{ failure: 'a secret of another form', ...post, body: { ...hook, secret: 'secret' } },
])('a new subscription with $failure is rejected', async (rejected) => await reject('A new subscription', rejected));

it.each<Rejected>([
	{ failure: 'no token', method: 'GET', path: '/v1/me', token: undefined, status: 401 },
	{ failure: 'a wrong token', method: 'GET', path: '/v1/me', token: 'rly_wrong', status: 401 },
	{ failure: 'an unknown path', method: 'GET', path: '/v1/messages', status: 404 },
	{ failure: 'an unknown path outside of the API', method: 'GET', path: '/messages', status: 404 },
	{ failure: 'an unknown subscription', method: 'GET', path: '/v1/subscriptions/sub_none', status: 404 },
	{
		failure: 'an unknown state',
		method: 'PATCH',
		path: '/v1/subscriptions/sub_none',
		body: { state: 'off' },
		status: 422,
	},
	{ failure: 'an unknown event', method: 'GET', path: '/v1/events/evt_none', status: 404 },
	{ failure: 'an unknown delivery', method: 'POST', path: '/v1/deliveries/none/retry', status: 404 },
	{ failure: 'an unknown type', method: 'GET', path: '/v1/events?type=sms.outbound', status: 422 },
	{ failure: 'a limit of none', method: 'GET', path: '/v1/events?limit=0', status: 422 },
	{ failure: 'a limit that is too large', method: 'GET', path: '/v1/events?limit=101', status: 422 },
	{ failure: 'a limit that is not a number', method: 'GET', path: '/v1/events?limit=many', status: 422 },
	{ failure: 'an unknown parameter', method: 'GET', path: '/v1/events?color=blue', status: 422 },
	{ failure: 'an event to continue from that is gone', method: 'GET', path: '/v1/events?before=evt_none', status: 422 },
	{ failure: 'no number to erase', method: 'DELETE', path: '/v1/events', status: 422 },
	{ failure: 'an empty number to erase', method: 'DELETE', path: '/v1/events?number=', status: 422 },
	{
		failure: 'a token without a name',
		method: 'POST',
		path: '/v1/tokens',
		body: { name: ' ', kind: 'n8n' },
		status: 422,
	},
	{
		failure: 'a token of an unknown kind',
		method: 'POST',
		path: '/v1/tokens',
		body: { name: 'Ama', kind: 'user' },
		status: 422,
	},
	{ failure: 'an unknown token', method: 'DELETE', path: '/v1/tokens/tok_none', status: 404 },
	{ failure: 'a login from another page', method: 'POST', path: '/session', body: { token: 'a' }, status: 403 },
])('$method $path with $failure is rejected', async (rejected) => await reject('Other requests', rejected));

it.each<Rejected>([
	{ failure: 'a wrong secret', method: 'POST', path: '/in/wrong', body: {}, status: 404 },
	{ failure: 'an unknown channel', method: 'POST', path: `/in/${INGEST_SECRET}/fax`, body: {}, status: 404 },
	{ failure: 'PUT instead of POST', method: 'PUT', path: `/in/${INGEST_SECRET}`, body: {}, status: 405 },
	{
		failure: 'a body above 256 KB',
		method: 'POST',
		path: `/in/${INGEST_SECRET}`,
		body: 'a'.repeat(300_000),
		status: 413,
	},
])('an event with $failure is rejected', async (rejected) => await reject('An event', rejected));

it('a request for something of another token, or for admins only, is rejected', async () => {
	const chapter = 'Another token';
	const [ama, kofi] = [await createToken(relay, 'n8n'), await createToken(relay, 'n8n')];
	const zapier = await createToken(relay, 'zapier');
	const own = { ...hook, reference: 'n8n/main/workflow-1/trigger' };
	const { id } = await subscribe(relay, own, ama);
	const [one] = [await subscribe(relay, hook, ama), await subscribe(relay, { ...hook, url: `${hook.url}/2` }, ama)];
	const rows: Rejected[] = [
		{ failure: 'a reference of another token', ...post, body: own, token: kofi, status: 409 },
		{
			failure: 'a subscription of another token',
			method: 'GET',
			path: `/v1/subscriptions/${id}`,
			token: kofi,
			status: 404,
		},
		{
			failure: 'the URL, types and filter of another subscription',
			method: 'PATCH',
			path: `/v1/subscriptions/${one.id}`,
			body: { url: `${hook.url}/2` },
			token: ama,
			status: 409,
		},
		{ failure: 'a route for admins', method: 'GET', path: '/v1/tokens', token: ama, status: 403 },
		{ failure: 'another host with a Zapier token', ...post, body: hook, token: zapier },
		{
			failure: 'a batch with a Zapier token',
			...post,
			body: { url: 'https://hooks.zapier.com/hooks/1', types: hook.types, batch: { max: 5, wait_ms: 0 } },
			token: zapier,
		},
	];
	for (const row of rows) await reject(chapter, row);
	const list = z.object({ data: z.array(z.object({ id: z.string(), kind: z.string() })) });
	const { data } = list.parse(await (await relay.api('GET', '/v1/tokens')).json());
	const admin = data.find(({ kind }) => kind === 'admin');
	const failure = 'the last admin token';
	const response = await relay.api('DELETE', `/v1/tokens/${admin?.id}`);
	expect(response.status).toBe(422);
	const { error } = errorSchema.parse(await response.json());
	entries.push({ chapter, failure, where: 'DELETE /v1/tokens/<id>', shown: [`(422, ${error.code}) ${error.message}`] });
});

it('a database that is away is a 503 with Retry-After, for events and for the API', async () => {
	const { url = '' } = database();
	await allowConnections(url, false);
	try {
		const chapter = 'The database is away';
		const event = { method: 'POST', path: `/in/${INGEST_SECRET}`, body: { message_id: 'm', status: 'sent' } };
		await reject(chapter, { failure: 'an event', ...event, status: 503 });
		await reject(chapter, { failure: 'a request of the API', method: 'GET', path: '/v1/me', status: 503 });
		const { headers } = await relay.api('GET', '/v1/me');
		expect(headers.get('retry-after')).toBe('5');
	} finally {
		await allowConnections(url, true);
	}
});

it('clients read the same errors as in errors.golden.md (UPDATE_GOLDEN=1 writes the file)', () => {
	expectGolden(join(__dirname, 'errors.golden.md'), render(HEADING, entries));
	expect(entries.filter(({ shown }) => formattingArtifact.test(shown.join('')))).toEqual([]);
	// These are words of the parser, not of this project.
	expect(entries.filter(({ shown }) => /expected|received|Invalid/.test(shown.join('')))).toEqual([]);
});
