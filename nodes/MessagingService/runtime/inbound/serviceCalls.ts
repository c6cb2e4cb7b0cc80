import type { IWebhookFunctions } from 'n8n-workflow';
import {
	contract,
	createClient,
	inboundWebhookUrl,
	InputError,
	passOnText,
	plainStop,
	type Client,
	type PassedText,
	type ServiceError,
	type Transport,
} from '../../../../shared';
import { explain } from '../errors';
import { API_CREDENTIAL, n8nTransport, openTransport } from '../transport';
import { fingerprint } from './fingerprint';
import { BoundedMap } from './boundedMap';
import { isBehind } from './deliveryProgress';
import type { AlertItem, ReceiptItem, TextItem } from './eventItem';

/** What came of something that was asked of the service. */
export type Asked<Result> = { readonly result: Result } | { readonly problem: string };

/** Names the triggers that a text was passed on by; one of them does not take it again. */
const PASSED_ON_HEADER = 'x-passed-on-by';

/** More triggers one behind the other than anybody needs. */
const LONGEST_CHAIN = 10;

/** The sandbox's name for a text (sandbox/gateway/passedOn.ts); it goes on with the text. */
const SANDBOX_TEXT_HEADER = 'x-sandbox-text';

const PASSED_AGAIN_MS = 600_000;
const MOST_PASSES = 5;

/** How often the same text was passed on in the last ten minutes. */
const passes = new BoundedMap<number>(10_000);

/** Whether a text comes back that this trigger has passed on, or has been passed on for ever. */
export function cameBack(context: IWebhookFunctions): boolean {
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
export async function passOn(
	context: IWebhookFunctions,
	{ from, to, message }: Pick<TextItem, 'from' | 'to' | 'message'>,
	url: string,
): Promise<Asked<true>> {
	const target = url === '' ? await ownWebhook(context) : { result: url };
	if ('problem' in target) return target;
	if (target.result.includes(`/${context.getWorkflow().id}/${context.getNode().id}/`)) {
		return { problem: 'Pass On URL is the address of this trigger itself: give that of the service' };
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
async function passOnOnce(context: IWebhookFunctions, text: PassedText, url: string): Promise<Asked<true>> {
	const now = Date.now();
	const key = fingerprint(context.getWorkflow().id, context.getNode().id, text.from, text.to, text.message);
	const passed = passes.get(key, now) ?? 0;
	if (passed >= MOST_PASSES) {
		return { problem: `The same text was passed on ${passed} times within ten minutes: it seems to go in a circle` };
	}
	passes.set(key, passed + 1, now + PASSED_AGAIN_MS);
	const named = context.getHeaderData()[SANDBOX_TEXT_HEADER];
	const outcome = await passOnText(openTransport(context), url, text, {
		[PASSED_ON_HEADER]: [...passersOf(context), nameOf(context)].join(','),
		...(typeof named === 'string' && { [SANDBOX_TEXT_HEADER]: named }),
	});
	return outcome.outcome === 'accepted' ? { result: true } : { problem: wordsOf(outcome.error) };
}

async function ownWebhook(context: IWebhookFunctions): Promise<Asked<string>> {
	const credential = await readCredential(context);
	if ('problem' in credential) return credential;
	const { baseUrl, apiKey } = credential.result;
	const url = inboundWebhookUrl(baseUrl, apiKey);
	return url === undefined ? { problem: 'Base URL of the Messaging Service API credential is wrong' } : { result: url };
}

/**
 * What the service says of a message; undefined where it does not know it. A receipt may come before the service has
 * kept what it tells, so that an unknown message or one that is not as far is asked for again, for four seconds.
 */
export async function confirmReceipt(
	context: IWebhookFunctions,
	{ message_id: id, status: reported }: Pick<ReceiptItem, 'message_id' | 'status'>,
): Promise<Asked<Pick<ReceiptItem, 'status' | 'channel' | 'provider_status'> | undefined>> {
	const made = await serviceClient(context);
	if ('problem' in made) return made;
	const { client, transport } = made.result;
	for (const waitMs of [1_000, 3_000, undefined]) {
		const asked = await client.call(contract.message.get, { id });
		if (asked.outcome !== 'accepted') {
			if (asked.error.meaning !== 'not_found') return { problem: wordsOf(asked.error) };
			if (waitMs === undefined) return { result: undefined };
		} else {
			const { channel, provider_status } = asked.output;
			const status = asked.output.status.trim().toLowerCase();
			if (waitMs === undefined || !isBehind(status, reported)) {
				const told = { channel: channel?.toLowerCase() ?? null, provider_status: provider_status ?? null };
				return { result: { status, ...told } };
			}
		}
		await transport.sleep(waitMs);
	}
	return { result: undefined };
}

/** What the service says of the wallet. */
export async function confirmAlert(
	context: IWebhookFunctions,
): Promise<Asked<Pick<AlertItem, 'balance' | 'currency'>>> {
	const made = await serviceClient(context);
	if ('problem' in made) return made;
	const asked = await made.result.client.call(contract.wallet.getBalance, {});
	if (asked.outcome !== 'accepted') return { problem: wordsOf(asked.error) };
	return { result: { balance: asked.output.balance, currency: asked.output.currency ?? null } };
}

async function serviceClient(
	context: IWebhookFunctions,
): Promise<Asked<{ readonly client: Client; readonly transport: Transport }>> {
	const credential = await readCredential(context);
	if ('problem' in credential) return credential;
	const transport = n8nTransport(context);
	try {
		const client = createClient({
			...credential.result,
			transport,
			authHeader: 'host',
			timeoutMs: 10_000,
			retry: { budgetMs: 30_000, longestWaitMs: 10_000 },
		});
		return { result: { client, transport } };
	} catch (error) {
		return {
			problem: error instanceof InputError ? wordsOf(error) : 'The Messaging Service API credential is unusable',
		};
	}
}

async function readCredential(context: IWebhookFunctions): Promise<Asked<{ baseUrl: string; apiKey: string }>> {
	try {
		const { baseUrl, apiKey } = await context.getCredentials<{ baseUrl: string; apiKey: string }>(API_CREDENTIAL);
		return { result: { baseUrl, apiKey } };
	} catch {
		return { problem: 'The Messaging Service API credential of the trigger cannot be read: choose it again' };
	}
}

function wordsOf(error: ServiceError): string {
	const { message, description } = explain(error);
	return `${message}. ${description}`;
}
