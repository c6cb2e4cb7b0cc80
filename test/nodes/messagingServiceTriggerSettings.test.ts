import type { INodeParameters } from 'n8n-workflow';
import { z } from 'zod/v4';
import { loadPackage } from '../support/n8n/loadedPackage';
import { startTriggerEngine } from '../support/n8n/triggerEngine';

const secret = 'k3yK3yAbCdEfGhIjKlMnOpQrStUvWxYz';
const triggerWith = (parameters: INodeParameters) =>
	startTriggerEngine(
		{ messagingServiceWebhookApi: { secret, previousSecret: '' } },
		{ triggerOn: ['inboundSms', 'deliveryReceipt'], ...parameters },
	);
const text = (message: string, more: object = {}) => ({ from: '+233201234567', to: 'KOFISHOP', message, ...more });

/** Labels and values that the editor offers for a field. */
async function optionsOf(field: string): Promise<string[][]> {
	const { nodeTypes, typeOf } = await loadPackage({});
	const { properties } = nodeTypes.getByNameAndVersion(typeOf('messagingServiceTrigger'), 1).description;
	const inCollections = properties.flatMap(({ type, options }) => (type === 'collection' ? (options ?? []) : []));
	const found = [...properties, ...inCollections].find(({ name }) => name === field);
	const { options } = z.object({ options: z.array(z.object({ name: z.string(), value: z.string() })) }).parse(found);
	return options.map(({ name, value }) => [name, value]);
}

/** Counts the workflow starts for these requests, sent one after the other. */
async function starts(parameters: INodeParameters, bodies: readonly object[]): Promise<number> {
	const engine = await triggerWith(parameters);
	await expect(engine.activateTrigger()).resolves.toBe(true);
	let count = 0;
	for (const body of bodies) count += (await engine.post({ secret, body })).items.length;
	return count;
}

describe('a number that an expression returns as text', () => {
	it('reads a number of the trigger that an expression returns as text', async () => {
		const words = ['one', 'two', 'three', 'four'].map((word) => text(word));
		expect(await starts({ options: { maxStartsPerSenderPerHour: '={{ "2" }}' } }, words)).toBe(2);
		expect(await starts({ options: { maxStartsPerSenderPerHour: '={{ " 0 " }}' } }, words)).toBe(4);
		expect(await starts({ options: { deduplicationWindowSeconds: '={{ "0" }}' } }, [text('YES'), text('YES')])).toBe(2);
	});
});

describe('a list that an expression returns', () => {
	it.each<[string, INodeParameters, object[], number]>([
		['numbers', { filters: { sender: '={{ [233201234567, "+233201234568"] }}' } }, [text('a')], 1],
		['one number', { filters: { sender: '={{ 233201234567 }}' } }, [text('a')], 1],
		['other numbers', { filters: { sender: '={{ [233201234568] }}' } }, [text('a')], 0],
		['recipients', { filters: { recipient: '={{ ["OTHER", "kofishop"] }}' } }, [text('a')], 1],
		['keywords as text', { filters: { keywords: '={{ "stop, none" }}' } }, [text('a'), text('STOP'), text('help')], 2],
		[
			'custom keywords',
			{ customKeywords: '={{ ["HOURS", "PRICE"] }}', filters: { keywords: ['custom'] } },
			[text('price')],
			1,
		],
		['statuses', { filters: { statuses: '={{ ["Delivered"] }}' } }, [{ message_id: 'm', status: 'delivered' }], 1],
		['an empty field', { customKeywords: '', filters: { sender: '', recipient: '' } }, [text('a')], 1],
	])('reads a list of the trigger that an expression returns: %s', async (_, parameters, bodies, started) => {
		expect(await starts(parameters, bodies)).toBe(started);
	});
});

describe('a trigger field that cannot be read', () => {
	it.each<[string, INodeParameters]>([
		['Max Starts per Sender per Hour', { options: { maxStartsPerSenderPerHour: '={{ "often" }}' } }],
		['Max Starts per Sender per Hour', { options: { maxStartsPerSenderPerHour: '={{ undefined }}' } }],
		['Max Starts per Sender per Hour', { options: { maxStartsPerSenderPerHour: -1 } }],
		['Max Starts per Sender per Hour', { options: { maxStartsPerSenderPerHour: 2.5 } }],
		['Deduplication Window (Seconds)', { options: { deduplicationWindowSeconds: '={{ "1 minute" }}' } }],
		['Deduplication Window (Seconds)', { options: { deduplicationWindowSeconds: '={{ true }}' } }],
		['Deduplication Window (Seconds)', { options: { deduplicationWindowSeconds: '={{ "" }}' } }],
		['Unrecognized Requests', { options: { unrecognizedRequests: '={{ "maybe" }}' } }],
		['Custom Keywords', { customKeywords: '={{ $vars.WORDS }}' }],
		['Custom Keywords', { customKeywords: '={{ null }}' }],
		['Custom Keywords', { customKeywords: '={{ { a: 1 } }}' }],
		['Sender', { filters: { sender: '={{ $vars.VIP }}' } }],
		['Sender', { filters: { sender: '={{ [] }}' } }],
		['Sender', { filters: { sender: ' , ' } }],
		['Recipient', { filters: { recipient: '={{ null }}' } }],
		['Keyword', { filters: { keywords: '={{ ["stopp"] }}' } }],
		['Status', { filters: { statuses: '={{ [1, null] }}' } }],
		['Trigger On', { triggerOn: '={{ ["inboundSMS"] }}' }],
		['Forward Inbound SMS', { forwardInboundSms: '={{ "forward" }}' }],
		['Separate Outputs by Keyword', { routeByKeyword: '={{ "false" }}' }],
	])('rejects %s = %j at activation and responds to requests with 503', async (label, parameters) => {
		const engine = await triggerWith(parameters);
		const activating = engine.activateTrigger();
		await expect(activating).rejects.toThrow(label);
		await expect(activating).rejects.toThrow(/^(?!.*undefined)/);
		const { items, status } = await engine.post({ secret, body: text('hello') });
		expect({ items, status }).toEqual({ items: [], status: 503 });
		expect(engine.logged()).toEqual([expect.stringContaining(`${label} cannot be read`)]);
	});

	it.each<[field: string, INodeParameters]>([
		['triggerOn', { triggerOn: '={{ ["inboundSMS"] }}' }],
		['receiveThrough', { receiveThrough: 'direct' }],
		['authentication', { authentication: 'basicAuth' }],
		['keywords', { filters: { keywords: '={{ ["stopp"] }}' } }],
		['unrecognizedRequests', { options: { unrecognizedRequests: '={{ "maybe" }}' } }],
	])('lists the labels and values of the field %s if its value is none of them', async (field, parameters) => {
		const { message } = z
			.object({ message: z.string() })
			.parse(await (await triggerWith(parameters)).activateTrigger().catch((error: unknown) => error));
		const listed = [...message.matchAll(/(?:one of|from|,) (.+?) \((\w+)\)/g)].map(([, label, value]) => [
			label,
			value,
		]);
		expect(listed.sort()).toEqual((await optionsOf(field)).sort());
	});

	it('does not reveal a wrong field to a caller without the secret', async () => {
		const engine = await triggerWith({ options: { deduplicationWindowSeconds: -1 } });
		expect((await engine.post({ secret: 'wrong', body: text('a') })).answer).toEqual({ status: 404 });
	});
});
