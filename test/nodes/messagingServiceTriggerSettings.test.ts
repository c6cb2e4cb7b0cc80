import type { INodeParameters } from 'n8n-workflow';
import { startTriggerEngine } from './triggerEngine';

const secret = 'k3yK3yAbCdEfGhIjKlMnOpQrStUvWxYz';
const triggerWith = (parameters: INodeParameters) =>
	startTriggerEngine(
		{ messagingServiceWebhookApi: { secret, previousSecret: '' } },
		{ triggerOn: ['inboundSms', 'deliveryReceipt'], ...parameters },
	);
const text = (message: string, more: object = {}) => ({ from: '+233201234567', to: 'KOFISHOP', message, ...more });

/** How many of these start the workflow, one after the other. */
async function starts(parameters: INodeParameters, bodies: readonly object[]): Promise<number> {
	const engine = await triggerWith(parameters);
	await expect(engine.activateTrigger()).resolves.toBe(true);
	let count = 0;
	for (const body of bodies) count += (await engine.post({ secret, body })).items.length;
	return count;
}

describe('a number that an expression gives as text', () => {
	it('is read as a number', async () => {
		const words = ['one', 'two', 'three', 'four'].map((word) => text(word));
		expect(await starts({ options: { startsPerSenderPerHour: '={{ "2" }}' } }, words)).toBe(2);
		expect(await starts({ options: { startsPerSenderPerHour: '={{ " 0 " }}' } }, words)).toBe(4);
		expect(await starts({ options: { ignoreRepeatsSeconds: '={{ "0" }}' } }, [text('YES'), text('YES')])).toBe(2);
	});
});

describe('a list that an expression gives', () => {
	it.each<[string, INodeParameters, object[], number]>([
		['numbers', { filters: { sender: '={{ [233201234567, "+233201234568"] }}' } }, [text('a')], 1],
		['one number', { filters: { sender: '={{ 233201234567 }}' } }, [text('a')], 1],
		['others', { filters: { sender: '={{ [233201234568] }}' } }, [text('a')], 0],
		['recipients', { filters: { recipient: '={{ ["OTHER", "kofishop"] }}' } }, [text('a')], 1],
		['keywords as text', { filters: { keywords: '={{ "stop, none" }}' } }, [text('a'), text('STOP'), text('help')], 2],
		['own keywords', { ownKeywords: '={{ ["HOURS", "PRICE"] }}', filters: { keywords: ['own'] } }, [text('price')], 1],
		['statuses', { filters: { statuses: '={{ ["Delivered"] }}' } }, [{ message_id: 'm', status: 'delivered' }], 1],
		['an empty field', { ownKeywords: '', filters: { sender: '', recipient: '' } }, [text('a')], 1],
	])('is read: %s', async (_, parameters, bodies, started) => {
		expect(await starts(parameters, bodies)).toBe(started);
	});
});

describe('a field that cannot be read', () => {
	it.each<[string, INodeParameters]>([
		['Starts per Sender and Hour', { options: { startsPerSenderPerHour: '={{ "often" }}' } }],
		['Starts per Sender and Hour', { options: { startsPerSenderPerHour: '={{ undefined }}' } }],
		['Starts per Sender and Hour', { options: { startsPerSenderPerHour: -1 } }],
		['Starts per Sender and Hour', { options: { startsPerSenderPerHour: 2.5 } }],
		['Ignore Repeated Texts (Seconds)', { options: { ignoreRepeatsSeconds: '={{ "1 minute" }}' } }],
		['Ignore Repeated Texts (Seconds)', { options: { ignoreRepeatsSeconds: '={{ true }}' } }],
		['Ignore Repeated Texts (Seconds)', { options: { ignoreRepeatsSeconds: '={{ "" }}' } }],
		['Pass On URL', { options: { passOnUrl: '={{ $vars.SERVICE }}' } }],
		['Pass On URL', { options: { passOnUrl: '={{ ["https://a.example"] }}' } }],
		['Pass On URL', { options: { passOnUrl: 'ftp://a.example' } }],
		['Unknown Posts', { options: { unknownPosts: '={{ "maybe" }}' } }],
		['Own Keywords', { ownKeywords: '={{ $vars.WORDS }}' }],
		['Own Keywords', { ownKeywords: '={{ null }}' }],
		['Own Keywords', { ownKeywords: '={{ { a: 1 } }}' }],
		['Sender', { filters: { sender: '={{ $vars.VIP }}' } }],
		['Sender', { filters: { sender: '={{ [] }}' } }],
		['Sender', { filters: { sender: ' , ' } }],
		['Recipient', { filters: { recipient: '={{ null }}' } }],
		['Keyword', { filters: { keywords: '={{ ["stopp"] }}' } }],
		['Status', { filters: { statuses: '={{ [1, null] }}' } }],
		['Trigger On', { triggerOn: '={{ ["inboundSMS"] }}' }],
		['Service Calls', { serviceCalls: '={{ "pass on" }}' }],
		['Separate Outputs by Keyword', { routeByKeyword: '={{ "false" }}' }],
	])('is named at activation, and starts nothing: %s of %j', async (label, parameters) => {
		const engine = await triggerWith(parameters);
		const activating = engine.activateTrigger();
		await expect(activating).rejects.toThrow(label);
		await expect(activating).rejects.toThrow(/^(?!.*undefined)/);
		const { items, status } = await engine.post({ secret, body: text('hello') });
		expect({ items, status }).toEqual({ items: [], status: 503 });
		expect(engine.logged()).toEqual([expect.stringContaining(`${label} cannot be read`)]);
	});

	it('is not told to a stranger', async () => {
		const engine = await triggerWith({ options: { passOnUrl: 'ftp://a.example' } });
		expect((await engine.post({ secret: 'wrong', body: text('a') })).answer).toEqual({ status: 404 });
	});
});
