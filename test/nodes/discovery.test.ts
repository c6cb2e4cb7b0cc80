import { sublimeSearch } from '@n8n/utils/search/sublime-search';
import { MessagingServiceApi } from '../../credentials/MessagingServiceApi.credentials';
import { MessagingServiceRelayApi } from '../../credentials/MessagingServiceRelayApi.credentials';
import { MessagingServiceSignatureApi } from '../../credentials/MessagingServiceSignatureApi.credentials';
import { MessagingServiceWebhookApi } from '../../credentials/MessagingServiceWebhookApi.credentials';
import { loadPackage } from '../support/n8n/loadedPackage';

/** The description of a node with the codex file, as n8n reads both. */
async function described(name: string) {
	const { types, typeOf } = await loadPackage({});
	const type = types[typeOf(name)];
	if (!type || 'nodeVersions' in type) throw new Error(`There is no node ${name}`);
	return type.description;
}

const NODES = ['messagingService', 'messagingServiceTrigger', 'messagingServiceWalletTrigger'];
const TRIGGERS = NODES.slice(1);

/** The fields in which the editor's node panel searches, with its weights. */
const SEARCHED = [
	{ key: 'properties.displayName', weight: 1.3 },
	{ key: 'properties.codex.alias', weight: 1 },
];

describe('the node panel of n8n', () => {
	it.each([
		...['sms', 'whatsapp', 'otp', '2fa', 'phone', 'voice', 'call', 'email', 'verification', 'bulk', 'campaign'],
		...['balance', 'top-up', 'mobile money', 'text message', 'one-time code'],
	])('finds the node for the search "%s"', async (words) => {
		// The panel shows the action node and its trigger as one entry, with the aliases of the action node.
		const properties = await described('messagingService');
		expect(sublimeSearch(words, [{ properties }], SEARCHED)).toHaveLength(1);
		expect(properties.codex?.alias?.map((alias) => alias.toLowerCase())).toContain(words);
	});

	it.each([
		...['send sms', 'sms gateway', 'bulk sms', 'send bulk sms', 'send text message', 'text message', 'schedule sms'],
		...['send whatsapp', 'receive sms', 'receive text', 'inbound sms', 'incoming sms', 'reply to sms', 'two-way sms'],
		...['verify phone', 'phone verification', 'verify phone number', 'phone lookup', 'validate phone', 'send otp'],
		...['low balance', 'check balance', 'wallet balance', 'top up', 'opt out', 'opt-out', 'unsubscribe', 'sender id'],
		...[
			'ai agent tool',
			'agent tool',
			'send and wait',
			'voice call',
			'delivery status',
			'sms campaign',
			'sms reminder',
		],
	])('finds the node for the words "%s"', async (words) => {
		const properties = await described('messagingService');
		expect(sublimeSearch(words, [{ properties }], SEARCHED)).toHaveLength(1);
	});

	it.each([
		...['sms', 'whatsapp', 'inbound', 'balance', 'receive sms', 'incoming sms', 'new sms', 'low balance', 'top up'],
		...['opt out', 'unsubscribe', 'delivery report'],
	])('finds a trigger for the search "%s"', async (words) => {
		const triggers = await Promise.all(TRIGGERS.map(async (name) => ({ properties: await described(name) })));
		expect(sublimeSearch(words, triggers, SEARCHED).length).toBeGreaterThan(0);
	});

	it('describes sending and receiving where the panel shows the description of the trigger for both nodes', async () => {
		const { description } = await described('messagingServiceTrigger');
		expect(description).toMatch(/\bsend\b/i);
		expect(description).toMatch(/\bstart/i);
	});

	it.each(TRIGGERS)('names each event of %s in the list of triggers', async (name) => {
		const { properties } = await described(name);
		const events = properties
			.filter((property) => property.name === 'triggerOn')
			.flatMap(({ options = [] }) => options);
		expect(events.length).toBeGreaterThan(0);
		// Without an action, n8n writes "On inbound whats app".
		for (const event of events) expect('action' in event ? event.action : undefined).toMatch(/^On [a-zA-Z -]+$/);
	});
});

it.each(NODES)(
	'the steps in notices of %s are lines, because n8n puts a dot before each item of a list',
	async (name) => {
		const { properties } = await described(name);
		const notices = properties.filter(({ type }) => type === 'notice').map(({ displayName }) => displayName);
		expect(notices.filter((notice) => /<[uo]l>|<li>/.test(notice) || / 2\. /.test(notice))).toEqual([]);
	},
);

describe('the links to documentation', () => {
	it.each(NODES)('%s has one, because without one n8n links to its page on npm, which does not exist', async (name) => {
		const { documentationUrl = '', codex } = await described(name);
		expect(new URL(documentationUrl).protocol).toBe('https:');
		expect(documentationUrl).not.toMatch(/npmjs\.com|\.example/);
		// The editor prefers that link, so another one would only have to be changed as well.
		expect(codex?.resources).toEqual({});
	});

	it('all credentials have the same one', () => {
		const { documentationUrl } = new MessagingServiceApi();
		expect(new URL(documentationUrl).protocol).toBe('https:');
		expect(documentationUrl).not.toMatch(/npmjs\.com|\.example/);
		expect(new MessagingServiceWebhookApi().documentationUrl).toBe(documentationUrl);
		expect(new MessagingServiceRelayApi().documentationUrl).toBe(documentationUrl);
		expect(new MessagingServiceSignatureApi().documentationUrl).toBe(documentationUrl);
	});
});
