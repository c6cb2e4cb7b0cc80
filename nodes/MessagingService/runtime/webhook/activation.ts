import type { IHookFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { readSettings } from './triggerSettings';
import { WEBHOOK_CREDENTIAL, webhookCredentialIssue } from './authenticate';

/**
 * Checks the trigger when it is activated. The service has no endpoint to register a webhook, so the user pastes the
 * URL. This is the last chance to report an error before webhooks arrive.
 * @throws NodeOperationError with the fields to correct
 */
export async function checkActivation(context: IHookFunctions): Promise<void> {
	const issue = settingsIssue(context) ?? webhookCredentialIssue(await context.getCredentials(WEBHOOK_CREDENTIAL));
	if (issue !== undefined) throw new NodeOperationError(context.getNode(), issue);
}

function settingsIssue(context: IHookFunctions): string | undefined {
	const read = readSettings(context);
	if ('issues' in read) return read.issues.map(({ field, message }) => `${field} ${message}`).join('. ');
	return read.settings.triggerOn.length === 0 ? 'Trigger On is empty: choose at least one event' : undefined;
}
