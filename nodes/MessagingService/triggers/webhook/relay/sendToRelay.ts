import type { ICredentialDataDecryptedObject, IHookFunctions } from 'n8n-workflow';
import { responseTo } from '../../../host/transport';
import type { SendToRelay } from './relayApi';
import { RELAY_CREDENTIAL } from './relayCredential';

/**
 * Sends with n8n's own HTTP client, so that n8n's proxy, certificate and network settings apply. n8n adds the header with
 * the token from the credential.
 */
export function sendToRelay(context: IHookFunctions, credential: ICredentialDataDecryptedObject): SendToRelay {
	const credentialsDecrypted = { id: '', name: RELAY_CREDENTIAL, type: RELAY_CREDENTIAL, data: credential };
	return async ({ method, url, headers, body, timeoutMs }) => {
		const sending = context.helpers.httpRequestWithAuthentication.call(
			context,
			RELAY_CREDENTIAL,
			{
				...{ method, url, headers: { ...headers }, body, timeout: timeoutMs },
				...{ encoding: 'text', json: false, returnFullResponse: true },
				...{ ignoreHttpStatusErrors: true, disableFollowRedirect: true },
			},
			{ credentialsDecrypted },
		);
		return await responseTo({ timeoutMs }, sending);
	};
}
