import type { Icon, ICredentialType, INodeProperties } from 'n8n-workflow';

/** The secret part of the URL that inbound texts are posted to. */
export class MessagingServiceWebhookApi implements ICredentialType {
	name = 'messagingServiceWebhookApi';

	displayName = 'Messaging Service Webhook API';

	icon: Icon = {
		light: 'file:../nodes/MessagingService/messagingService.svg',
		dark: 'file:../nodes/MessagingService/messagingService.dark.svg',
	};

	documentationUrl = 'https://www.npmjs.com/package/n8n-nodes-messaging-service#receiving-texts';

	properties: INodeProperties[] = [
		{
			displayName: 'Secret',
			name: 'secret',
			type: 'string',
			typeOptions: { password: true },
			required: true,
			default: '',
			description:
				'At least 32 random letters and digits, for example from a password manager. It takes the place of :secret in the URL that the trigger shows; who does not know it cannot start the workflow.',
		},
		{
			displayName: 'Previous Secret',
			name: 'previousSecret',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			description: 'While you change the secret: the old one, still taken until you empty this field',
		},
	];
}
