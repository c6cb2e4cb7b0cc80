import type { Icon, ICredentialType, INodeProperties } from 'n8n-workflow';

/** The secret part of the URL that events are posted to, and how they are signed. */
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
		{
			displayName: 'Signature Secret',
			name: 'signatureSecret',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			description:
				'Only if your provider signs what it posts: the key of the HMAC over the body. Posts without the right signature are then refused.',
		},
		{
			displayName: 'Signature Header',
			name: 'signatureHeader',
			type: 'string',
			default: '',
			placeholder: 'e.g. X-Signature',
			description: 'Header that carries the signature; used only with a Signature Secret',
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
			description: 'Hash of the HMAC; used only with a Signature Secret',
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
			description: 'How the signature is written; used only with a Signature Secret',
		},
	];
}
