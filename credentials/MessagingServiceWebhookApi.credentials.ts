import type { Icon, ICredentialType, INodeProperties } from 'n8n-workflow';

/** The secret in the URL that receives events. */
export class MessagingServiceWebhookApi implements ICredentialType {
	name = 'messagingServiceWebhookApi';

	displayName = 'Messaging Service Webhook API';

	icon: Icon = {
		light: 'file:../nodes/MessagingService/messagingService.svg',
		dark: 'file:../nodes/MessagingService/messagingService.dark.svg',
	};

	// The package's own page exists only after publication (decision 27).
	documentationUrl = 'https://docs.n8n.io/credentials/';

	properties: INodeProperties[] = [
		{
			displayName:
				'To get a new secret, leave Secret empty, click Save and then More details. Copy the secret into the field, and save again. Keep a copy for the URL of the trigger, because n8n does not show it again.',
			name: 'steps',
			type: 'notice',
			default: '',
		},
		{
			displayName: 'Secret',
			name: 'secret',
			type: 'string',
			typeOptions: { password: true },
			// Not required, because n8n tests no credential whose required fields are empty, and the test generates a secret.
			default: '',
			description:
				"At least 32 random letters and digits. Replaces :secret in the trigger's URL. Callers need it to start the workflow.",
		},
		{
			displayName: 'Previous Secret',
			name: 'previousSecret',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			description: 'The old secret, while you change to a new one. It is accepted until you empty this field.',
		},
	];
}
