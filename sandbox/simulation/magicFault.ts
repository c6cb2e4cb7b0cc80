import type { ResponseFault } from './faults';
import { magicNumbers } from '../magicNumbers';

const once = { endpoint: '*', times: 1 } as const;

function response(
	status: number,
	body: string | Record<string, string | boolean>,
	headers: Record<string, string> = {},
) {
	return { ...once, kind: 'answer', status, headers, body } as const;
}

/** Magic numbers that change the HTTP response itself, for any endpoint. */
const FAULTS = new Map<string, ResponseFault>([
	[
		magicNumbers.rateLimited,
		response(429, { success: false, code: 'rate_limited', message: 'Too many requests.' }, { 'retry-after': '1' }),
	],
	[
		magicNumbers.serverError,
		response(500, { success: false, code: 'server_error', message: 'This number always fails.' }),
	],
	[magicNumbers.acceptedThenDropped, { ...once, kind: 'drop_after' }],
	[
		magicNumbers.failureIn200,
		response(200, { success: false, code: 'failed_send', message: 'The gateway rejected the message.' }),
	],
	[
		magicNumbers.htmlAnswer,
		response(200, '<!doctype html><title>Gateway</title><h1>It works</h1>', { 'content-type': 'text/html' }),
	],
]);

/** Finds the fault of a magic number as the recipient. @param input raw, not yet checked */
export function findMagicFault(input: Readonly<Record<string, unknown>>): ResponseFault | undefined {
	const to = input.to ?? input.phone;
	return typeof to === 'string' ? FAULTS.get(to) : undefined;
}

/**
 * Whether a request is for the magic number whose first receipt arrives before the response.
 * @param input raw, not yet checked
 */
export function wantsEarlyReceipt(input: Readonly<Record<string, unknown>>): boolean {
	return (input.to ?? input.phone) === magicNumbers.receiptBeforeAnswer;
}
