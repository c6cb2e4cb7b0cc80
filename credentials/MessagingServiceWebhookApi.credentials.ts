import type { Icon, ICredentialType, INodeProperties } from 'n8n-workflow';

/** The secret in the URL that receives events, and how the events are signed. */
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
		{
			displayName: 'Signature Secret',
			name: 'signatureSecret',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			description:
				'HMAC key for the body, if your provider signs its requests. Requests without a valid signature are then rejected.',
		},
		{
			displayName: 'Signature Header',
			name: 'signatureHeader',
			type: 'string',
			default: '',
			placeholder: 'e.g. X-Signature',
			description: 'Header that carries the signature. Used only with a Signature Secret.',
		},
		{
			displayName: 'Signature Algorithm',
			name: 'signatureAlgorithm',
			type: 'options',
			options: [
				{ name: 'SHA-1', value: 'sha1' },
				{ name: 'SHA-256', value: 'sha256' },
				{ name: 'SHA-512', value: 'sha512' },
			],
			default: 'sha256',
			description: 'Hash of the HMAC. Used only with a Signature Secret.',
		},
		{
			displayName: 'Signature Encoding',
			name: 'signatureEncoding',
			type: 'options',
			options: [
				{ name: 'Base64', value: 'base64' },
				{ name: 'Hexadecimal', value: 'hex' },
			],
			default: 'hex',
			description: 'How the signature is written. Used only with a Signature Secret.',
		},
	];
}
