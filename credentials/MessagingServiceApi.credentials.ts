import type {
	Icon,
	ICredentialDataDecryptedObject,
	ICredentialType,
	IHttpRequestOptions,
	INodeProperties,
} from 'n8n-workflow';

/** The API key of an account, and the address of the service. */
export class MessagingServiceApi implements ICredentialType {
	name = 'messagingServiceApi';

	displayName = 'Messaging Service API';

	icon: Icon = {
		light: 'file:../nodes/MessagingService/messagingService.svg',
		dark: 'file:../nodes/MessagingService/messagingService.dark.svg',
	};

	// The package's own page exists only after publication (decision 27).
	documentationUrl = 'https://docs.n8n.io/credentials/';

	properties: INodeProperties[] = [
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			required: true,
			default: '',
			placeholder: 'sk_...',
			description: 'From the dashboard of your account. It begins with sk_.',
		},
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'https://your-service.example/api/v1/',
			description: 'Address of the service, ending in /api/v1/',
		},
		{
			displayName: 'Base URL Is a Relay',
			name: 'baseUrlIsRelay',
			type: 'boolean',
			default: false,
			description: 'Whether the Base URL is the address of your relay. The relay then sends each message once.',
		},
		{
			displayName: 'Allow HTTP to Private Address',
			name: 'privateOverHttp',
			type: 'boolean',
			default: false,
			description: 'Whether the Base URL may begin with http:// in a private network, such as http://192.168.1.20:4020',
		},
		{
			displayName: 'Auth Header',
			name: 'authHeader',
			type: 'options',
			options: [
				{ name: 'Authorization: Bearer', value: 'Authorization' },
				{ name: 'X-API-Key', value: 'X-API-Key' },
			],
			default: 'X-API-Key',
			description: 'Header that carries the key. The service accepts both.',
		},
	];

	/** Adds the header with the key. In code, because n8n would evaluate an expression again for each request. */
	async authenticate(
		{ apiKey, authHeader }: ICredentialDataDecryptedObject,
		options: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> {
		const key = String(apiKey).trim();
		const header = authHeader === 'Authorization' ? { Authorization: `Bearer ${key}` } : { 'X-API-Key': key };
		return await Promise.resolve({ ...options, headers: { ...options.headers, ...header } });
	}
}
