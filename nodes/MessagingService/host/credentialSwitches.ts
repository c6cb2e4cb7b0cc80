import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { InputError } from '../../../shared';

/** The switches of the Messaging Service API credential. */
export interface CredentialSwitches {
	/** Base URL Is a Relay. */
	readonly baseUrlIsRelay: boolean;
	/** Allow HTTP to Private Address. */
	readonly privateOverHttp: boolean;
}

const LABELS: Readonly<Record<keyof CredentialSwitches, string>> = {
	baseUrlIsRelay: 'Base URL Is a Relay',
	privateOverHttp: 'Allow HTTP to Private Address',
};

/**
 * Reads the switches of a credential. A credential that was saved before they existed has them off.
 * @returns an error if one is neither on nor off, for example because of its expression
 */
export function credentialSwitches(data: ICredentialDataDecryptedObject): CredentialSwitches | InputError {
	const baseUrlIsRelay = read(data, 'baseUrlIsRelay');
	if (baseUrlIsRelay instanceof InputError) return baseUrlIsRelay;
	const privateOverHttp = read(data, 'privateOverHttp');
	if (privateOverHttp instanceof InputError) return privateOverHttp;
	return { baseUrlIsRelay, privateOverHttp };
}

function read(data: ICredentialDataDecryptedObject, name: keyof CredentialSwitches): boolean | InputError {
	const value = data[name] ?? false;
	if (value === true || value === 'true') return true;
	if (value === false || value === 'false') return false;
	return new InputError('client', [
		{ field: LABELS[name], message: 'of the credential is neither true nor false: turn it on or off' },
	]);
}
