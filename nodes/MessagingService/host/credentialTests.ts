import type {
	ICredentialDataDecryptedObject,
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';
import {
	errorMessage,
	errorText,
	InputError,
	KEY_WITHOUT_BALANCE,
	keyProblem,
	ServiceError,
	type HttpRequest,
	type HttpResponse,
	type Transport,
} from '../../../shared';
import { credentialIssue, secretsOf } from '../triggers/webhook/authenticate';
import { readRelayToken, RelayFailure, type RelayRequest, type SendToRelay } from '../triggers/webhook/relay/relayApi';
import { readRelayAccess } from '../triggers/webhook/relay/relayCredential';
import { generateSecret, secretIssue } from '../triggers/webhook/secret';
import { makeClient } from './client';
import { credentialSwitches } from './credentialSwitches';
import { abortableSleep, responseTo } from './transport';

const RELAY_ON = 'Base URL Is a Relay is on. ';
const KNOWN_THROUGH_RELAY = 'The relay was found, and the service knows this key';

const failed = (message: string): INodeCredentialTestResult => ({ status: 'Error', message });

/**
 * Tests an API key with a request for the wallet balance, and says what to correct if it fails. A response without a
 * balance still proves that the key works.
 */
export async function messagingServiceApiTest(
	this: ICredentialTestFunctions,
	credential: ICredentialsDecrypted<ICredentialDataDecryptedObject>,
): Promise<INodeCredentialTestResult> {
	const { apiKey = '', baseUrl = '', authHeader, ...others } = credential.data ?? {};
	const switches = credentialSwitches(others);
	if (switches instanceof InputError) return failed(errorMessage(switches));
	const client = makeClient(
		{ apiKey: String(apiKey), baseUrl: String(baseUrl), ...switches },
		credentialTestTransport(this.helpers),
		{
			authHeader: authHeader === 'Authorization' ? 'Authorization' : 'X-API-Key',
			timeoutMs: 10_000,
			// A person is waiting at the dialog: retry once and soon, then show the result.
			retry: { attempts: 2, longestWaitMs: 2_000 },
		},
	);
	if (client instanceof InputError) return failed(errorMessage(client));
	if (client instanceof ServiceError) return failed('The credential could not be tested');
	if (switches.baseUrlIsRelay) {
		const relay = await client.checkRelay();
		if (!relay.found) return failed(`${RELAY_ON}${errorText(relay.error)}`);
	}
	const check = await client.checkKey();
	if (!check.known) return failed(keyProblem(check.error, String(baseUrl)));
	if (switches.baseUrlIsRelay && check.balance) return { status: 'OK', message: KNOWN_THROUGH_RELAY };
	return { status: 'OK', message: check.balance ? 'The service knows this key' : KEY_WITHOUT_BALANCE };
}

/**
 * Tests a webhook secret. It never leaves n8n, so only its strength can be checked. n8n cannot generate the value of a
 * field, so the result for a missing or weak secret has a new one to copy.
 */
export async function messagingServiceWebhookApiTest(
	this: ICredentialTestFunctions,
	{ data = {} }: ICredentialsDecrypted<ICredentialDataDecryptedObject>,
): Promise<INodeCredentialTestResult> {
	const [secret] = secretsOf(data);
	const weakness = secretIssue(secret);
	if (weakness !== undefined) {
		return failed(`${weakness}. Copy this new one into the field, and keep a copy for the URL: ${generateSecret()}`);
	}
	const issue = credentialIssue('secret', data);
	return issue ? failed(issue) : { status: 'OK', message: 'The secret is long enough' };
}

/** Tests the fields that describe signatures. Only a signed request shows whether they match the provider's. */
export async function messagingServiceSignatureApiTest(
	this: ICredentialTestFunctions,
	credential: ICredentialsDecrypted<ICredentialDataDecryptedObject>,
): Promise<INodeCredentialTestResult> {
	const issue = credentialIssue('signature', credential.data ?? {});
	return issue ? failed(issue) : { status: 'OK', message: 'The fields are complete' };
}

/** Tests the address and the token of a relay with a request that says which token it is. */
export async function messagingServiceRelayApiTest(
	this: ICredentialTestFunctions,
	{ data = {} }: ICredentialsDecrypted<ICredentialDataDecryptedObject>,
): Promise<INodeCredentialTestResult> {
	const access = readRelayAccess(data);
	if (typeof access === 'string') return failed(access);
	const header = { Authorization: `Bearer ${access.token}` };
	const send: SendToRelay = async (request) =>
		await sendForTest(this.helpers, { ...request, headers: { ...request.headers, ...header } });
	// The relay may take 10 seconds to start.
	const token = await readRelayToken(send, access, 15_000);
	if (token instanceof RelayFailure) return failed(token.message);
	return { status: 'OK', message: `The relay knows this token${token.name === '' ? '' : ` (${token.name})`}` };
}

function credentialTestTransport(helpers: ICredentialTestFunctions['helpers']): Transport {
	return { send: async (request) => await sendForTest(helpers, request), sleep: abortableSleep };
}

/** Sends with the only HTTP helper that n8n gives a credential test. */
async function sendForTest(
	helpers: ICredentialTestFunctions['helpers'],
	request: RelayRequest | HttpRequest,
): Promise<HttpResponse> {
	const sending: Promise<unknown> = helpers.request({
		method: request.method,
		uri: request.url,
		headers: { ...request.headers },
		body: request.body,
		timeout: request.timeoutMs,
		json: false,
		simple: false,
		followRedirect: false,
		resolveWithFullResponse: true,
	});
	return await responseTo(request, sending);
}
