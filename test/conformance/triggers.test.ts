import {
	NodeHelpers,
	type INodeParameters,
	type INodeProperties,
	type INodePropertyCollection,
	type INodePropertyOptions,
} from 'n8n-workflow';
import { MessagingServiceTrigger } from '../../nodes/MessagingService/MessagingServiceTrigger.node';
import { MessagingServiceWalletTrigger } from '../../nodes/MessagingService/MessagingServiceWalletTrigger.node';

const triggers = [new MessagingServiceTrigger(), new MessagingServiceWalletTrigger()];

describe.each(triggers.map(({ description }) => [description.displayName, description] as const))(
	'%s',
	(_, description) => {
		// The editor shows such a field only if it has the option `none`, as in n8n's Webhook node.
		it('names no field without that option and without a slash in the conditions of credentials, because the editor would hide it', () => {
			const hidden = description.properties.filter(
				({ options }) => !options?.some((option) => 'value' in option && option.value === 'none'),
			);
			const names = hidden.map(({ name }) => name);
			const named =
				description.credentials?.flatMap(({ displayOptions }) => Object.keys(displayOptions?.show ?? {})) ?? [];
			expect(names.filter((name) => named.includes(name))).toEqual([]);
		});

		// n8n would make "On inbound whats app" from the value of an option.
		it('has a label for each event in the list of triggers', () => {
			const events = description.properties.find(({ name }) => name === 'triggerOn')?.options ?? [];
			expect(events.length).toBeGreaterThan(0);
			for (const event of events) expect(event).toHaveProperty('action', expect.stringMatching(/^On [a-z]/));
		});
	},
);

it('the webhook trigger requires the credential of its authentication, and an API key only if it calls the service', () => {
	const [{ description } = new MessagingServiceTrigger()] = triggers;
	const requests = (parameters: INodeParameters) =>
		description.credentials
			?.filter((credential) => NodeHelpers.displayParameter(parameters, credential, { typeVersion: 1 }, description))
			.map(({ name }) => name);
	const credentials = {
		none: [],
		secret: ['messagingServiceWebhookApi'],
		signature: ['messagingServiceSignatureApi'],
	};
	for (const [authentication, expected] of Object.entries(credentials)) {
		expect(requests({ authentication, forwardInboundSms: false })).toEqual(expected);
		const forwarding = { authentication, forwardInboundSms: true };
		expect(requests(forwarding)).toEqual([...expected, 'messagingServiceApi']);
		expect(requests({ receiveThrough: 'relay', authentication, forwardInboundSms: false })).toEqual([
			'messagingServiceRelayApi',
		]);
	}
});

it('the webhook trigger hides the fields of its URL if events come through the relay, and shows batches', () => {
	const { description } = new MessagingServiceTrigger();
	const shown = (receiveThrough: string) => {
		const values: INodeParameters = { receiveThrough, authentication: 'none', triggerOn: ['inboundSms'] };
		const isShown = (field: INodeProperties | INodePropertyOptions | INodePropertyCollection) =>
			!('displayOptions' in field) || NodeHelpers.displayParameter(values, field, { typeVersion: 1 }, description);
		return description.properties.filter(isShown).flatMap(({ name, options = [] }) => {
			const inner = name === 'options' ? options.filter(isShown) : [];
			return [name, ...inner.map((option) => ('value' in option ? String(option.value) : option.name))];
		});
	};
	const [atUrl, throughRelay] = [shown('url'), shown('relay')];
	expect(atUrl.filter((name) => !throughRelay.includes(name))).toEqual([
		...['authentication', 'urlNotice', 'forwardInboundSms'],
		...['allowedIps', 'deduplicationWindowSeconds', 'senderIds'],
	]);
	expect(throughRelay.filter((name) => !atUrl.includes(name))).toEqual(['relayNotice', 'batchSize']);
});
