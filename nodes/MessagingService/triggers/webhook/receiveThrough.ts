import type { IWebhookFunctions } from 'n8n-workflow';
import { choice, type Unusable } from './settingReaders';

const WAYS = [
	['url', 'URL of This Trigger'],
	['relay', 'Relay'],
] as const;

/** How events reach the trigger: at its own URL, or through the relay, which calls that URL with a signature. */
export type ReceiveThrough = (typeof WAYS)[number][0];

/**
 * Reads the field Receive Through. An unknown value is an error, because each way authenticates its callers differently.
 * @throws n8n's own error for an expression that cannot be evaluated
 */
export function readReceiveThrough(context: Pick<IWebhookFunctions, 'getNodeParameter'>): ReceiveThrough | Unusable {
	return choice(WAYS)(context.getNodeParameter('receiveThrough', 'url'));
}
