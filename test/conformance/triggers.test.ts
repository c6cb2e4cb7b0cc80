import { NodeHelpers, type INodeParameters } from 'n8n-workflow';
import { MessagingServiceTrigger } from '../../nodes/MessagingService/MessagingServiceTrigger.node';
import { MessagingServiceWalletTrigger } from '../../nodes/MessagingService/MessagingServiceWalletTrigger.node';

const triggers = [new MessagingServiceTrigger(), new MessagingServiceWalletTrigger()];

describe.each(triggers.map(({ description }) => [description.displayName, description] as const))(
	'%s',
	(_, description) => {
		it('does not name its fields without a slash in the conditions of credentials, because the editor would hide them', () => {
			const names = description.properties.map(({ name }) => name);
			const named =
				description.credentials?.flatMap(({ displayOptions }) => Object.keys(displayOptions?.show ?? {})) ?? [];
			expect(names.filter((name) => named.includes(name))).toEqual([]);
		});
	},
);

it('the webhook trigger requires an API key only if it calls the service', () => {
	const [{ description } = new MessagingServiceTrigger()] = triggers;
	const requests = (parameters: INodeParameters) =>
		description.credentials
			?.filter((credential) => NodeHelpers.displayParameter(parameters, credential, { typeVersion: 1 }, description))
			.map(({ name }) => name);
	expect(requests({ beforeStarting: [] })).toEqual(['messagingServiceWebhookApi']);
	for (const call of ['confirm', 'forwardInboundSms']) {
		expect(requests({ beforeStarting: [call] })).toEqual(['messagingServiceWebhookApi', 'messagingServiceApi']);
	}
});
