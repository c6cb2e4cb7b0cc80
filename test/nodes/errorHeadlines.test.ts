import type { INode, INodeParameters } from 'n8n-workflow';
import { startEngine, type Engine } from '../support/n8n/engine';
import { DOUBT } from '../support/promises';
import { useSandbox } from '../support/useSandbox';

const OPTED_OUT = '+233990000009';
const UNREACHABLE = '+233990000001';
const senderId = { __rl: true, mode: 'name', value: 'KOFISHOP' };
const sms = { resource: 'sms', operation: 'send', senderId, to: '={{ $json.to }}', message: '=Hi {{ $json.to }}' };

const { sandbox, control } = useSandbox();
let engine: Engine;
beforeAll(async () => {
	engine = await startEngine({
		messagingServiceApi: { baseUrl: sandbox.baseUrl, apiKey: 'sk_sandbox_demo', authHeader: 'X-API-Key' },
	});
});

const run = async (numbers: readonly string[], parameters: INodeParameters = {}, settings: Partial<INode> = {}) =>
	await engine.run({ parameters: { ...sms, ...parameters }, items: numbers.map((to) => ({ to })), settings });

describe('the headline of an unknown outcome', () => {
	const unknown = new RegExp(`^${DOUBT}.*the connection was cut`);

	it.each(['send', 'sendLater', 'sendBulk'])('begins with the doubt: %s', async (operation) => {
		const endpoint = operation === 'send' ? 'sms.send' : 'sms.sendBulk';
		await control.fault({ endpoint, kind: 'drop_after' });
		const { error } = await run(['0201234567'], { operation, sendAt: '2030-01-01T09:00:00Z' });
		expect(error?.message).toMatch(unknown);
		expect(error?.description).toMatch(/before you send it again/);
	});

	it('begins with the doubt in the row of a run that continues', async () => {
		await control.fault({ endpoint: 'sms.send', kind: 'drop_after' });
		const { outputs } = await run(['0201234567'], {}, { onError: 'continueRegularOutput' });
		expect(outputs[0]?.[0]?.json).toMatchObject({
			outcome: 'unknown',
			error: expect.stringMatching(unknown) as string,
		});
	});

	it("gives the service's own words after the doubt", async () => {
		const body = { message: 'Something broke here' };
		await control.fault({ endpoint: 'sms.send', kind: 'answer', status: 500, times: 4, body });
		const { error } = await run(['0201234567']);
		expect(error?.message).toBe(`${DOUBT}Something broke here`);
	});

	it('names the thing that is in doubt if nothing is sent', async () => {
		await control.fault({ endpoint: 'contact.create', kind: 'drop_after' });
		const parameters = { resource: 'contact', operation: 'create', phone: '0201234567' };
		const { error } = await engine.run({ parameters });
		expect(error?.message).toMatch(/^It is unknown whether the contact was added: /);
	});
});

describe('an error of one item among several', () => {
	it('names the value and the item of a field that cannot be sent', async () => {
		const { error } = await run(['0201234567', '12', '0241234567']);
		expect(error?.message).toMatch(/^To "12" \(item 2 of 3\) is too short/);
		expect(await control.messages()).toEqual([]);
	});

	it('names the item that the service rejects', async () => {
		const { error } = await run(['0201234567', UNREACHABLE, '0241234567'], { options: { parallelRequests: 1 } });
		expect(error?.message).toMatch(/ \(item 2 of 3\)$/);
	});

	it('does not show a message text or a code', async () => {
		const { error } = await engine.run({
			parameters: { ...sms, message: '={{ $json.text }}' },
			items: [
				{ to: '0201234567', text: 'Hi' },
				{ to: '0201234567', text: 'x'.repeat(1601) },
			],
		});
		expect(error?.message).toMatch(/^Message \(item 2 of 2\) has 1601 characters/);
	});

	it('names no item if there is only one, or if the error is about the run', async () => {
		expect((await run(['12'])).error?.message).toMatch(/^To is too short/);
		const { error } = await run(['0201234567', '0241234567'], { options: { maxRecipients: 1 } });
		expect(error?.message).toMatch(/^Maximum Recipients is 1/);
	});
});

describe('Send Bulk to a list with a recipient who opted out', () => {
	const bulk = { operation: 'sendBulk', to: `+233201234567, ${OPTED_OUT}`, message: 'Hi' };

	it('names the option that sends to the others, if it is off', async () => {
		const { error } = await run(['-'], { ...bulk, options: { skipRejectedNumbers: false } });
		expect(error?.description).toContain('Skip Rejected Numbers');
		expect(`${error?.message} ${error?.description}`.match(/Nothing was (sent or )?charged/gi)).toHaveLength(1);
	});

	it('sends to the others if the option is on', async () => {
		const { error, outputs } = await run(['-'], bulk);
		expect(error).toBeUndefined();
		expect(outputs[0]?.map(({ json }) => json.outcome)).toEqual(['accepted', 'rejected']);
	});
});
