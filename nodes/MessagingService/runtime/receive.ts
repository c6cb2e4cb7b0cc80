import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';
import { events, type PayloadOf } from '../../../shared';
import { isSecret } from './secret';

/** The credential type that holds the webhook secrets. */
export const WEBHOOK_CREDENTIAL = 'messagingServiceWebhookApi';

/** What that credential holds. */
export interface WebhookSecrets extends ICredentialDataDecryptedObject {
	secret: string;
	previousSecret: string;
}

/** Item that an inbound SMS becomes, the same from JSON and from a form. */
export interface InboundSmsItem extends PayloadOf<typeof events.inboundSms>, IDataObject {
	event: 'sms.inbound';
	/** When it arrived here, ISO 8601 in UTC. */
	received_at: string;
	/** The fields as they were posted. */
	body: IDataObject;
}

/**
 * Takes a posted inbound SMS: checks the secret in the path, reads the fields, starts the workflow and answers 200.
 * A wrong secret is answered 404 and starts nothing; a body that is no inbound SMS is answered 4xx with the reason.
 */
export async function receiveInboundSms(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const { secret, previousSecret } = await context.getCredentials<WebhookSecrets>(WEBHOOK_CREDENTIAL);
	const given: unknown = Reflect.get(context.getParamsData(), 'secret');
	if (!isSecret(String(given), [secret, previousSecret])) {
		context.logger.warn('Messaging Service Trigger: refused a post with a wrong secret in its path');
		return refuse(context, 404);
	}
	const wanted: unknown = context.getNodeParameter('triggerOn', []);
	if (!Array.isArray(wanted) || !wanted.includes('inboundSms')) {
		return refuse(context, 422, 'This workflow does not take inbound SMS: choose it under Trigger On');
	}
	const contentType = context.getHeaderData()['content-type'] ?? '';
	if (!/^application\/(json|x-www-form-urlencoded)\b/i.test(contentType)) {
		return refuse(context, 415, 'Post JSON or a form (application/x-www-form-urlencoded)');
	}
	const body: unknown = context.getBodyData();
	const parsed = events.inboundSms.payload.safeParse(body);
	if (!parsed.success) {
		const missing = [...new Set(parsed.error.issues.map(({ path }) => path.join('.') || 'a JSON object'))];
		return refuse(context, 422, `Not an inbound SMS: missing ${missing.join(', ')}. Post From, To and Message`);
	}
	const item: InboundSmsItem = {
		event: 'sms.inbound',
		...parsed.data,
		received_at: new Date().toISOString(),
		body: { ...Object(body) } as IDataObject,
	};
	return { webhookResponse: { received: true }, workflowData: [[{ json: item }]] };
}

function refuse(context: IWebhookFunctions, status: number, message?: string): IWebhookResponseData {
	const response = context.getResponseObject().status(status);
	if (message === undefined) response.end();
	else response.json({ received: false, message });
	return { noWebhookResponse: true };
}
