import {
	ConnectionError,
	createClient,
	InputError,
	isSandboxKey,
	ServiceError,
	throttledTransport,
	type Client,
	type ClientOptions,
	type Transport,
} from '../../../shared';
import { credentialSwitches, type CredentialSwitches } from './credentialSwitches';
import { API_CREDENTIAL, n8nTransport, type ApiCredential, type CallingContext } from './transport';

/** The settings in which the clients of this package differ. Times are in milliseconds. */
export interface ClientSettings extends Pick<ClientOptions, 'authHeader' | 'retry' | 'timeoutMs'> {
	/** Whether all calls wait when the service asks one to slow down, and their maximum per second. */
	readonly pace?: { readonly perSecond?: number };
}

/** A trigger gives up within about 30 seconds. */
export const TRIGGER_CLIENT: ClientSettings = {
	authHeader: 'host',
	timeoutMs: 10_000,
	retry: { budgetMs: 30_000, longestWaitMs: 10_000 },
};

/** A client with the credential of a node. */
export interface CredentialClient {
	readonly client: Client;
	/** Whether the key is a sandbox key. */
	readonly sandbox: boolean;
	/** Whether the base URL is that of a relay. */
	readonly relay: boolean;
}

const NOTHING_SENT = 'Nothing was sent or charged.';

/** A credential without which nothing can be sent. */
export class CredentialError extends ConnectionError {
	/** @param kind whether n8n cannot read the credential, or no client can be made from its fields */
	constructor(
		message: string,
		readonly kind: 'unreadable' | 'unusable',
		hint = NOTHING_SENT,
	) {
		super(message, { endpoint: 'node', sent: 'no', hint });
	}
}

/**
 * Makes a client with the credential of a node.
 * @returns an error if the credential cannot be read or used; nothing is sent then
 */
export async function credentialClient(
	context: CallingContext,
	settings: ClientSettings,
): Promise<CredentialClient | ServiceError> {
	const credential = await readCredential(context);
	if (credential instanceof ServiceError) return credential;
	const switches = credentialSwitches(credential);
	if (switches instanceof InputError) return switches;
	const { baseUrl, apiKey } = credential;
	const client = makeClient({ baseUrl, apiKey, ...switches }, n8nTransport(context, credential), settings);
	if (client instanceof ServiceError) return client;
	return { client, sandbox: isSandboxKey(apiKey), relay: switches.baseUrlIsRelay };
}

/**
 * Reads the credential of a node.
 * @returns an error whose `cause` is n8n's own, if the credential is missing or n8n cannot read it
 */
export async function readCredential(context: CallingContext): Promise<ApiCredential | CredentialError> {
	try {
		return await context.getCredentials<ApiCredential>(API_CREDENTIAL);
	} catch (error) {
		const { description } = Object(error) as { description?: unknown };
		const hint = typeof description === 'string' && description !== '' ? description : undefined;
		const unreadable = new CredentialError(error instanceof Error ? error.message : String(error), 'unreadable', hint);
		unreadable.cause = error;
		return unreadable;
	}
}

/** The fields of the credential that a client needs. */
export interface ClientFields extends CredentialSwitches {
	readonly baseUrl: string;
	readonly apiKey: string;
}

/**
 * Makes a client.
 * @returns an error if the base URL or the key cannot be right; nothing is sent then
 */
export function makeClient(
	{ baseUrl, apiKey, baseUrlIsRelay: relay, privateOverHttp }: ClientFields,
	transport: Transport,
	{ pace, ...options }: ClientSettings,
): Client | ServiceError {
	const paced = pace && throttledTransport(transport, { ...pace, basePauseMs: 500, longestPauseMs: 30_000 });
	try {
		return createClient({ ...options, baseUrl, apiKey, relay, privateOverHttp, transport: paced ?? transport });
	} catch (error) {
		return error instanceof InputError ? error : new CredentialError('The credential cannot be used', 'unusable');
	}
}
