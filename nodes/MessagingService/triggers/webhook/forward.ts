import type { IWebhookFunctions } from 'n8n-workflow';
import {
	errorMessage,
	inboundWebhookUrl,
	forwardInbound,
	InputError,
	plainStop,
	ServiceError,
	type ForwardedMessage,
	type InboundItem,
} from '../../../../shared/index';
import { openTransport } from '../../host/transport';
import { readCredential } from '../../host/client';
import { credentialSwitches } from '../../host/credentialSwitches';
import { failed, failedCall, type Failed } from '../failure';
import { BoundedMap } from '../../memory/boundedMap';
import { fingerprint } from '../../memory/fingerprint';

/** Lists the triggers that forwarded a message, for loop protection. */
const FORWARDED_BY_HEADER = 'x-passed-on-by';

/** Maximum number of triggers in a chain. */
const MAX_CHAIN_LENGTH = 10;

const REPEAT_WINDOW_MS = 600_000;
const MAX_REPEATS = 5;

/** How often the same message was forwarded in the last ten minutes. */
const repeats = new BoundedMap<number>({ maxSize: 10_000 });

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
 * Forwards an inbound SMS unchanged to the service's own webhook. After an opt-out in other words, such as EXIT or
 * "Stop!", it also forwards STOP. It is unknown which words the service reads, and no opt-out may be lost.
 * @returns undefined; the failure if the service did not accept it
 */
export async function forward(
	context: IWebhookFunctions,
	{ from, to, message, keyword }: Pick<InboundItem, 'from' | 'to' | 'message' | 'keyword'>,
): Promise<Failed | undefined> {
	const target = await serviceWebhook(context);
	if (typeof target !== 'string') return target;
	const plain = plainStop({ message, keyword });
	for (const words of plain === undefined ? [message] : [message, plain]) {
		const problem = await forwardLimited(context, { from, to: to ?? '', message: words }, target);
		if (problem) return problem;
	}
	return undefined;
}

/**
 * Forwards the same words from the same number at most five times in ten minutes. This ends a loop even if the service
 * sends the message back without the header.
 */
async function forwardLimited(
	context: IWebhookFunctions,
	text: ForwardedMessage,
	url: string,
): Promise<Failed | undefined> {
	const key = fingerprint(context.getWorkflow().id, context.getNode().id, text.from, text.to, text.message);
	const forwarded = repeats.get(key) ?? 0;
	if (forwarded >= MAX_REPEATS) {
		return failed(
			`The same message was forwarded ${forwarded} times within ten minutes. This may be a forwarding loop: check the Base URL of the credential`,
		);
	}
	repeats.set(key, forwarded + 1, REPEAT_WINDOW_MS);
	const outcome = await forwardInbound(openTransport(context), url, text, {
		[FORWARDED_BY_HEADER]: [...forwardersOf(context), nameOf(context)].join(','),
	});
	return outcome.outcome === 'accepted' ? undefined : failedCall(outcome.error);
}

async function serviceWebhook(context: IWebhookFunctions): Promise<string | Failed> {
	const credential = await readCredential(context);
	if (credential instanceof ServiceError) return failedCall(credential);
	const switches = credentialSwitches(credential);
	if (switches instanceof InputError) return failed(errorMessage(switches));
	// A relay forwards calls, but receives inbound messages at an address of its own.
	if (switches.baseUrlIsRelay)
		return failed('Base URL is that of a relay: set Receive Through to Relay, and the relay forwards');
	const url = inboundWebhookUrl(credential.baseUrl, credential.apiKey, 'sms', switches);
	return url ?? failed('Base URL of the Messaging Service API credential is wrong: correct it');
}
