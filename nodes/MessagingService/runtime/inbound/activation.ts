import type { IHookFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { addressListIssue } from './addressList';
import { readSettings } from './triggerSettings';
import { WEBHOOK_CREDENTIAL, webhookCredentialIssue } from './trust';

/**
 * Checks the trigger before it is activated. The service has no call that registers a webhook: the URL is pasted by
 * hand, so this is the moment to say what would make posts fail.
 * @throws NodeOperationError that says what to correct
 */
export async function checkActivation(context: IHookFunctions): Promise<void> {
	const { triggerOn, options } = readSettings(context);
	const issue =
		(triggerOn.length === 0 ? 'Trigger On is empty: choose at least one event' : undefined) ??
		webhookCredentialIssue(await context.getCredentials(WEBHOOK_CREDENTIAL)) ??
		addressListIssue(options.allowedIps) ??
		urlIssue(options.passOnUrl);
	if (issue !== undefined) throw new NodeOperationError(context.getNode(), issue);
}

function urlIssue(url: string): string | undefined {
	if (url === '' || /^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : '')) return undefined;
	return 'Pass On URL is not an http or https address: it looks like https://your-service.example/webhooks/inbound/sms';
}
