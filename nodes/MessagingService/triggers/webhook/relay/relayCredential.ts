import { createHmac } from 'crypto';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

/** The credential type with the address of the relay and a token. */
export const RELAY_CREDENTIAL = 'messagingServiceRelayApi';

/** The relay, as the credential names it. */
export interface RelayAccess {
	/** Address without a slash at its end. */
	readonly url: string;
	readonly token: string;
}

/**
 * Reads the credential. A path of the relay's API at the end of the address is removed.
 * @returns the access, or an error for the user
 */
export function readRelayAccess({ relayUrl, relayToken }: ICredentialDataDecryptedObject): RelayAccess | string {
	const typed = String(relayUrl ?? '').trim();
	if (typed === '') return 'Relay URL is missing: enter the address of your relay, such as https://relay.example.com';
	if (!URL.canParse(typed) || !/^https?:$/.test(new URL(typed).protocol)) {
		return 'Relay URL is not an http or https address: enter one such as https://relay.example.com';
	}
	const { origin, pathname, username, password } = new URL(typed);
	if (username !== '' || password !== '') return 'Relay URL contains a user name or password: remove it';
	if (/\/in\/[^/]/.test(pathname)) {
		return 'Relay URL is the address for incoming events: enter only its start, such as https://relay.example.com';
	}
	const token = String(relayToken ?? '').trim();
	if (token === '') return 'Relay Token is missing: create a token on the page of your relay';
	if (!/^[\x21-\x7e]+$/.test(token)) {
		return 'Relay Token contains a space or another character that no token has: copy it again';
	}
	return { url: `${origin}${pathname.replace(/\/+$/, '').replace(/\/v1$/, '')}`, token };
}

/**
 * Identifies a trigger at the relay. A copy of the workflow, another n8n and a test in the editor have their own.
 * @param ids of the n8n instance, the workflow and the node
 */
export function relayReference(ids: readonly [instance: string, workflow: string, node: string], isTest: boolean) {
	return ['n8n', ...ids, ...(isTest ? ['test'] : [])].join('/');
}

/**
 * Derives the secret that the relay signs with (Standard Webhooks, 32 bytes). Both sides know it without storing or
 * pasting it.
 */
export function relaySecret(token: string, reference: string): string {
	return `whsec_${relayKey(token, reference).toString('base64')}`;
}

/** The bytes of {@link relaySecret}. */
export function relayKey(token: string, reference: string): Buffer {
	return createHmac('sha256', token).update(reference).digest();
}
