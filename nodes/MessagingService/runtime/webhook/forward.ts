import type { IWebhookFunctions } from 'n8n-workflow';
import { inboundWebhookUrl, forwardInbound, plainStop, type ForwardedMessage } from '../../../../shared/index';
import { openTransport } from '../transport';
import { failed, readApiCredential, failedCall, type ServiceResult } from '../triggerClient';
import { BoundedMap } from '../boundedMap';
import type { InboundItem } from './eventItem';
import { fingerprint } from '../fingerprint';

/** Lists the triggers that forwarded a message, for loop protection. */
const FORWARDED_BY_HEADER = 'x-passed-on-by';

/** Maximum number of triggers in a chain. */
const MAX_CHAIN_LENGTH = 10;

const REPEAT_WINDOW_MS = 600_000;
const MAX_REPEATS = 5;

/** How often the same message was forwarded in the last ten minutes. */
const repeats = new BoundedMap<number>(10_000);

/** Whether this trigger has already forwarded the message, or too many triggers have. */
export function isForwardLoop(context: IWebhookFunctions): boolean {
	const forwarders = forwardersOf(context);
	return forwarders.includes(nameOf(context)) || forwarders.length >= MAX_CHAIN_LENGTH;
}

function forwardersOf(context: IWebhookFunctions): string[] {
	const header = context.getHeaderData()[FORWARDED_BY_HEADER];
	return typeof header === 'string' ? header.split(',').map((name) => name.trim()) : [];
}

/** Identifies this trigger without revealing its URL. */
function nameOf(context: IWebhookFunctions): string {
	return fingerprint(context.getWorkflow().id, context.getNode().id);
}

/**
 * Forwards an inbound SMS unchanged to the service's own webhook. After "Stop!" it also forwards the plain word. It is
 * unknown how the service reads other spellings, and punctuation must not prevent an opt-out.
 * @param url the target; if empty, derived from the credential's base URL
 */
export async function forward(
	context: IWebhookFunctions,
	{ from, to, message }: Pick<InboundItem, 'from' | 'to' | 'message'>,
	url: string,
): Promise<ServiceResult<true>> {
	const target = url === '' ? await serviceWebhook(context) : { result: url };
	if ('problem' in target) return target;
	if (target.result.includes(`/${context.getWorkflow().id}/${context.getNode().id}/`)) {
		return failed('Forward URL is the address of this trigger: enter the address of the service');
	}
	const plain = plainStop(message);
	for (const words of plain === undefined ? [message] : [message, plain]) {
		const forwarded = await forwardLimited(context, { from, to: to ?? '', message: words }, target.result);
		if ('problem' in forwarded) return forwarded;
	}
	return { result: true };
}

/**
 * Forwards the same words from the same number at most five times in ten minutes. This ends a loop even if the service
 * sends the message back without the header.
 */
async function forwardLimited(
	context: IWebhookFunctions,
	text: ForwardedMessage,
	url: string,
): Promise<ServiceResult<true>> {
	const key = fingerprint(context.getWorkflow().id, context.getNode().id, text.from, text.to, text.message);
	const forwarded = repeats.get(key) ?? 0;
	if (forwarded >= MAX_REPEATS) {
		return failed(
			`The same message was forwarded ${forwarded} times within ten minutes, which may be a forwarding loop: check Forward URL`,
		);
	}
	repeats.set(key, forwarded + 1, REPEAT_WINDOW_MS);
	const outcome = await forwardInbound(openTransport(context), url, text, {
		[FORWARDED_BY_HEADER]: [...forwardersOf(context), nameOf(context)].join(','),
	});
	return outcome.outcome === 'accepted' ? { result: true } : failedCall(outcome.error);
}

async function serviceWebhook(context: IWebhookFunctions): Promise<ServiceResult<string>> {
	const credential = await readApiCredential(context);
	if ('problem' in credential) return credential;
	const { baseUrl, apiKey } = credential.result;
	const url = inboundWebhookUrl(baseUrl, apiKey);
	return url === undefined
		? failed('Base URL of the Messaging Service API credential is wrong: correct it')
		: { result: url };
}
