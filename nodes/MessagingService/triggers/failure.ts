import { errorFacts, errorText, type ServiceError } from '../../../shared';
import { CredentialError } from '../host/client';

/** A failure of a trigger. */
export interface Failed {
	/**
	 * For the owner of the workflow, in the service's own words if it gave any. It may contain numbers and message texts.
	 */
	readonly problem: string;
	/** For n8n's log, without the service's words. */
	readonly loggable: string;
}

const CREDENTIAL_PROBLEMS = {
	unreadable: 'The Messaging Service API credential of this trigger cannot be read: select it again',
	unusable: 'The Messaging Service API credential cannot be used: check its fields',
} as const;

/** Makes a failure without the service's words. */
export function failed(problem: string): Failed {
	return { problem, loggable: problem };
}

/** Makes the failure of a call, with the service's words and what to do. */
export function failedCall(error: ServiceError): Failed {
	if (error instanceof CredentialError) return failed(CREDENTIAL_PROBLEMS[error.kind]);
	return { problem: `${errorText(error)}${errorFacts(error)}`, loggable: loggable(error) };
}

/**
 * Describes a failure for n8n's log. The log must not contain numbers, message texts or codes, and the service may
 * repeat them in any message.
 */
export function loggable({ name, status, meaning }: ServiceError): string {
	if (status === undefined) return `no usable response (${name})`;
	return `the service responded with HTTP ${status}${meaning === undefined ? '' : ` (${meaning})`}`;
}
