import type {
	ICredentialDataDecryptedObject,
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';
import {
	createClient,
	errorMessage,
	InputError,
	KEY_WITHOUT_BALANCE,
	keyProblem,
	type Transport,
} from '../../../shared';
import { webhookCredentialIssue } from './webhook/authenticate';
import { abortableSleep, responseTo } from './transport';

const failed = (message: string): INodeCredentialTestResult => ({ status: 'Error', message });

/**
 * Tests an API key with a request for the wallet balance, and says what to correct if it fails. A response without a
 * balance still proves that the key works.
 */
export async function messagingServiceApiTest(
	this: ICredentialTestFunctions,
	credential: ICredentialsDecrypted<ICredentialDataDecryptedObject>,
): Promise<INodeCredentialTestResult> {
	const { apiKey = '', baseUrl = '', authHeader } = credential.data ?? {};
	try {
		const client = createClient({
			apiKey: String(apiKey),
			baseUrl: String(baseUrl),
			authHeader: authHeader === 'Authorization' ? 'Authorization' : 'X-API-Key',
			transport: credentialTestTransport(this.helpers),
			timeoutMs: 10_000,
			// A person is waiting at the dialog: retry once and soon, then show the result.
			retry: { attempts: 2, longestWaitMs: 2_000 },
		});
		const check = await client.checkKey();
		if (!check.known) return failed(keyProblem(check.error));
		return { status: 'OK', message: check.balance ? 'The service knows this key' : KEY_WITHOUT_BALANCE };
	} catch (error) {
		return failed(error instanceof InputError ? errorMessage(error) : 'The credential could not be tested');
	}
}

/** Tests a webhook secret. It never leaves n8n, so only its strength can be checked. */
export async function messagingServiceWebhookApiTest(
	this: ICredentialTestFunctions,
	credential: ICredentialsDecrypted<ICredentialDataDecryptedObject>,
): Promise<INodeCredentialTestResult> {
	const issue = webhookCredentialIssue(credential.data ?? {});
	return issue ? failed(issue) : { status: 'OK', message: 'The secret is long enough' };
}

// The only HTTP helper that n8n gives a credential test.
function credentialTestTransport(helpers: ICredentialTestFunctions['helpers']): Transport {
	return {
		send: async (request) => {
			const sending: Promise<unknown> = helpers.request({
				method: request.method,
				uri: request.url,
				headers: { ...request.headers },
				timeout: request.timeoutMs,
				json: false,
				simple: false,
				followRedirect: false,
				resolveWithFullResponse: true,
			});
			return await responseTo(request, sending);
		},
		sleep: abortableSleep,
	};
}
