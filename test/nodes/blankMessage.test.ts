import type { INodeParameters } from 'n8n-workflow';
import { startEngine, type Engine } from '../support/n8n/engine';
import { useSandbox } from '../support/useSandbox';

const { sandbox, control } = useSandbox();
let engine: Engine;

beforeAll(async () => {
	engine = await startEngine({
		messagingServiceApi: { baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey, authHeader: 'X-API-Key' },
	});
});

const to = '+233201234567';
const senderId = { __rl: true, mode: 'name', value: 'KOFISHOP' };
const sendAt = '={{ $now.plus({ days: 1 }).toISO() }}';
const sends: ReadonlyArray<[string, string, INodeParameters]> = [
	['sms', 'send', { senderId, to }],
	['sms', 'sendAndWait', { senderId, to }],
	['sms', 'sendBulk', { senderId, to }],
	['sms', 'sendLater', { senderId, to, sendAt }],
	['whatsapp', 'send', { to }],
	['email', 'send', { to: 'ama@example.com', subject: 'Order' }],
	['voice', 'send', { to }],
];

describe.each(sends)('%s.%s', (resource, operation, parameters) => {
	// The message as an expression can return it: "{{ $json.name }} {{ $json.note }}" without both values.
	it.each([' ', '\n\t ', '\u00a0', '\u200b\u2060'])(
		'rejects the blank message %j before any request',
		async (message) => {
			const asExpression = `={{ ${JSON.stringify(message)} }}`;
			const { error } = await engine.run({ parameters: { resource, operation, ...parameters, message: asExpression } });
			expect(error?.message).toMatch(/^(Message|Spoken Text) is empty/);
			expect(await control.requests()).toEqual([]);
		},
	);

	it.each([
		['={{ "Hi " + Object({ a: 1 }) }}', 'contains [object Object]'],
		['Hi {{ $json.name }}, ready', 'contains {{ $json.name }}'],
		['={{ "On " + new Date(NaN) }}', 'contains Invalid Date'],
		['={{ 2 * NaN }}', 'is only NaN'],
		['={{ 1 > 2 }}', 'is only false'],
		['={{ ["Hi"] }}', 'is a list'],
		['={{ { text: "Hi" } }}', 'is an object'],
		['={{ $now }}', 'is an object'],
	])('rejects the broken message %s before any request', async (message, why) => {
		const { error } = await engine.run({ parameters: { resource, operation, ...parameters, message } });
		expect(error?.message).toMatch(/^(Message|Spoken Text) /);
		expect(error?.message).toContain(why);
		expect(`${error?.message} ${error?.description}`).toContain('Nothing was sent or charged.');
		expect(await control.requests()).toEqual([]);
	});
});

it.each(['Hi {{ $json.name }}', '={{ ["Order"] }}', '={{ "Order\\r\\nBcc: other@example.com" }}'])(
	'rejects the subject %s of an email before any request',
	async (subject) => {
		const parameters = { resource: 'email', operation: 'send', to: 'ama@example.com', subject, message: 'Ready' };
		const { error } = await engine.run({ parameters });
		expect(error?.message).toMatch(/^Subject /);
		expect(await control.requests()).toEqual([]);
	},
);

it('sends a message with leading and trailing spaces unchanged', async () => {
	const message = '={{ "\\n  Ready \\n" }}';
	await engine.run({ parameters: { resource: 'sms', operation: 'send', senderId, to, message } });
	expect(await control.messages()).toMatchObject([{ message: '\n  Ready \n' }]);
});
