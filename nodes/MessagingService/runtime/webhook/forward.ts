import type { IWebhookFunctions } from 'n8n-workflow';
import { inboundWebhookUrl, passOnText, plainStop, type PassedText } from '../../../../shared/index';
import { openTransport } from '../transport';
import { failed, readApiCredential, failedCall, type ServiceResult } from '../triggerClient';
import { BoundedMap } from './boundedMap';
import type { InboundItem } from './eventItem';
import { fingerprint } from '../fingerprint';

/** Names the triggers that a text was passed on by; one of them does not take it again. */
const PASSED_ON_HEADER = 'x-passed-on-by';

/** More triggers one behind the other than anybody needs. */
const LONGEST_CHAIN = 10;

const PASSED_AGAIN_MS = 600_000;
const MOST_PASSES = 5;

/** How often the same text was passed on in the last ten minutes. */
const passes = new BoundedMap<number>(10_000);

/** Whether a text comes back that this trigger has passed on, or has been passed on for ever. */
export function isForwardLoop(context: IWebhookFunctions): boolean {
	const passers = passersOf(context);
	return passers.includes(nameOf(context)) || passers.length >= LONGEST_CHAIN;
}

function passersOf(context: IWebhookFunctions): string[] {
	const header = context.getHeaderData()[PASSED_ON_HEADER];
	return typeof header === 'string' ? header.split(',').map((name) => name.trim()) : [];
}

/** Names this trigger to others without telling where it is. */
function nameOf(context: IWebhookFunctions): string {
	return fingerprint(context.getWorkflow().id, context.getNode().id);
}

/**
 * Passes a text on to the service's own webhook for inbound texts, as it came. After a "Stop!" the plain word follows:
 * nobody knows how the service reads what is not the word itself, and an opt-out must not hang on a full stop.
 * @param url where to; derived from the credential's base URL where it is empty
 */
export async function forward(
	context: IWebhookFunctions,
	{ from, to, message }: Pick<InboundItem, 'from' | 'to' | 'message'>,
	url: string,
): Promise<ServiceResult<true>> {
	const target = url === '' ? await ownWebhook(context) : { result: url };
	if ('problem' in target) return target;
	if (target.result.includes(`/${context.getWorkflow().id}/${context.getNode().id}/`)) {
		return failed('Forward URL is the address of this trigger itself: give that of the service');
	}
	const plain = plainStop(message);
	for (const words of plain === undefined ? [message] : [message, plain]) {
		const passed = await passOnOnce(context, { from, to: to ?? '', message: words }, target.result);
		if ('problem' in passed) return passed;
	}
	return { result: true };
}

/**
 * The same words from the same number are passed on at most five times in ten minutes: should the service send them
 * back without the mark, that ends the circle.
 */
async function passOnOnce(context: IWebhookFunctions, text: PassedText, url: string): Promise<ServiceResult<true>> {
	const now = Date.now();
	const key = fingerprint(context.getWorkflow().id, context.getNode().id, text.from, text.to, text.message);
	const passed = passes.get(key, now) ?? 0;
	if (passed >= MOST_PASSES) {
		return failed(`The same message was forwarded ${passed} times within ten minutes: this may be a forwarding loop`);
	}
	passes.set(key, passed + 1, now + PASSED_AGAIN_MS);
	const outcome = await passOnText(openTransport(context), url, text, {
		[PASSED_ON_HEADER]: [...passersOf(context), nameOf(context)].join(','),
	});
	return outcome.outcome === 'accepted' ? { result: true } : failedCall(outcome.error);
}

async function ownWebhook(context: IWebhookFunctions): Promise<ServiceResult<string>> {
	const credential = await readApiCredential(context);
	if ('problem' in credential) return credential;
	const { baseUrl, apiKey } = credential.result;
	const url = inboundWebhookUrl(baseUrl, apiKey);
	return url === undefined ? failed('Base URL of the Messaging Service API credential is wrong') : { result: url };
}
