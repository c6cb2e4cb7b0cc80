import { type Dispatcher, request } from 'undici';
import { readCaught } from '../caught';
import type { PhoneText, PostResult } from '../store/phoneTexts';
import type { SettingsValues } from '../store/settings';

/** How long the other side may take to answer a text, in milliseconds. */
export const POST_TIMEOUT_MS = 10_000;

const WORDS: Readonly<Record<string, string>> = {
	ECONNREFUSED: 'connection refused',
	ECONNRESET: 'connection reset',
	ENOTFOUND: 'unknown host',
	EAI_AGAIN: 'unknown host',
	EHOSTUNREACH: 'host unreachable',
	ENETUNREACH: 'network unreachable',
	UND_ERR_SOCKET: 'connection closed without an answer',
};

/**
 * Posts a text the way a gateway does (service.md, Inbound SMS webhook fields). Redirects are not followed.
 * @param stopping ends it early
 * @returns how it ended; it never throws
 */
export async function postText(
	{ sender, recipient, text, url }: PhoneText,
	format: SettingsValues['inbound_format'],
	dispatcher: Dispatcher,
	stopping: AbortSignal,
): Promise<PostResult> {
	const fields = { From: sender, To: recipient, Message: text };
	const timeout = AbortSignal.timeout(POST_TIMEOUT_MS);
	try {
		const { statusCode, body } = await request(url, {
			method: 'POST',
			headers: {
				'content-type': format === 'json' ? 'application/json' : 'application/x-www-form-urlencoded',
				'user-agent': 'messaging-service-sandbox',
			},
			body: format === 'json' ? JSON.stringify(fields) : new URLSearchParams(fields).toString(),
			dispatcher,
			signal: AbortSignal.any([stopping, timeout]),
		});
		await body.dump();
		if (statusCode >= 200 && statusCode < 300) return { status: 'posted', httpStatus: statusCode };
		return { status: 'failed', httpStatus: statusCode, problem: `answered ${statusCode}` };
	} catch (error) {
		if (stopping.aborted) return failed('the sandbox was stopped');
		if (timeout.aborted) return failed(`no answer within ${POST_TIMEOUT_MS / 1000} s`);
		return failed(describe(error));
	}
}

function failed(problem: string): PostResult {
	return { status: 'failed', httpStatus: undefined, problem };
}

function describe(error: unknown): string {
	const { message, code = '' } = readCaught(error);
	return WORDS[code] ?? message;
}
