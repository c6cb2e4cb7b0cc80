import type {
	Icon,
	ICredentialDataDecryptedObject,
	ICredentialType,
	IHttpRequestOptions,
	INodeProperties,
} from 'n8n-workflow';

/** The address of the relay, and a token for it. */
export class MessagingServiceRelayApi implements ICredentialType {
	name = 'messagingServiceRelayApi';

	displayName = 'Messaging Service Relay API';

	icon: Icon = {
		light: 'file:../nodes/MessagingService/messagingService.svg',
		dark: 'file:../nodes/MessagingService/messagingService.dark.svg',
	};

	// The package's own page exists only after publication (decision 27).
	documentationUrl = 'https://docs.n8n.io/credentials/';

	properties: INodeProperties[] = [
		{
			displayName: 'Relay URL',
			name: 'relayUrl',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. https://relay.example.com',
			description: 'Address of your relay, as its page and its command line show it',
		},
		{
			displayName: 'Relay Token',
			name: 'relayToken',
			type: 'string',
			typeOptions: { password: true },
			required: true,
			default: '',
			placeholder: 'rly_...',
			description: 'A token for n8n from the page of your relay. It begins with rly_.',
		},
	];

	/** Adds the header with the token. In code, because n8n would evaluate an expression again for each request. */
	async authenticate(
		{ relayToken }: ICredentialDataDecryptedObject,
		options: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> {
		const header = { Authorization: `Bearer ${String(relayToken).trim()}` };
		return await Promise.resolve({ ...options, headers: { ...options.headers, ...header } });
	}
}
