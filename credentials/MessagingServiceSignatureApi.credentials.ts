import type { Icon, ICredentialType, INodeProperties } from 'n8n-workflow';

/** How a provider signs the events that it sends. */
export class MessagingServiceSignatureApi implements ICredentialType {
	name = 'messagingServiceSignatureApi';

	displayName = 'Messaging Service Signature API';

	icon: Icon = {
		light: 'file:../nodes/MessagingService/messagingService.svg',
		dark: 'file:../nodes/MessagingService/messagingService.dark.svg',
	};

	// The package's own page exists only after publication (decision 27).
	documentationUrl = 'https://docs.n8n.io/credentials/';

	properties: INodeProperties[] = [
		{
			displayName: 'Signature Secret',
			name: 'signatureSecret',
			type: 'string',
			typeOptions: { password: true },
			required: true,
			default: '',
			description: 'The key of the HMAC over the body, from your provider',
		},
		{
			displayName: 'Signature Header',
			name: 'signatureHeader',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. X-Signature',
			description: 'The header that contains the signature',
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
			description: 'The hash function of the HMAC',
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
			description: 'How the signature is written',
		},
	];
}
