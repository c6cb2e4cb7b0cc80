import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod/v4';
import { pass, startHttpProxy, type HttpProxy, type PassedResponse } from '../../../support/httpProxy';
import { CALLER_FAULTS, SERVICE_FAULTS, type Attempt } from './steps';

/** The hop between relays and the sandbox. */
export interface ServiceHop extends HttpProxy {
	/** Message IDs in the responses of the sandbox, by the attempt that asked for them. */
	readonly charged: ReadonlyMap<string, readonly string[]>;
}

/** The hop between callers and relays. */
export interface CallerHop extends HttpProxy {
	/** Waits until no request is held back any more. */
	readonly released: () => Promise<void>;
}

/** The header that says what an attempt meets. The relay forwards it to the service. */
export const ATTEMPT_HEADER = 'x-request-id';

/** What a single send or a bulk send of the sandbox responds. */
const responseBody = z.object({
	message_id: z.string().optional(),
	results: z.array(z.object({ message_id: z.string().nullish() })).optional(),
});

/** A proxy holds a request back for so many times as long as a caller that leaves. */
const HELD_TIMES = 5;

/** Longest delay of a slow request, in milliseconds. */
const SLOW_MS = 300;

const JSON_TYPE = { 'content-type': 'application/json' };

/** Writes the header {@link ATTEMPT_HEADER}. */
export function attemptHeader(id: string, { service, caller, relay, leavesMs }: Attempt): string {
	return JSON.stringify([id, service, caller, relay, leavesMs]);
}

const header = z.tuple([z.string(), z.enum(SERVICE_FAULTS), z.enum(CALLER_FAULTS), z.number(), z.number()]);

function readAttempt(value: string | string[] | undefined): Attempt & { readonly id: string } {
	if (typeof value !== 'string') return { id: '', service: 'none', caller: 'none', relay: 0, leavesMs: 0 };
	const [id, service, caller, relay, leavesMs] = header.parse(JSON.parse(value));
	return { id, service, caller, relay, leavesMs };
}

/**
 * Starts a proxy between callers and relays. It cuts connections, and delivers requests late.
 * @param relayUrl finds a relay by its number, and waits while it is away
 */
export async function startCallerHop(relayUrl: (relay: number) => Promise<string>): Promise<CallerHop> {
	const held = new Set<Promise<unknown>>();
	const proxy = await startHttpProxy(async ({ headers, forward }, response) => {
		const { caller, relay, leavesMs } = readAttempt(headers[ATTEMPT_HEADER]);
		if (caller === 'lost before') {
			response.destroy();
			return;
		}
		if (caller === 'held') {
			response.destroy();
			const late = delay(HELD_TIMES * leavesMs)
				.then(async () => await forward(await relayUrl(relay)))
				.catch(() => undefined)
				.finally(() => held.delete(late));
			held.add(late);
			return;
		}
		const target = await relayUrl(relay);
		if (caller === 'leaves') {
			pass(response, await forward(target, { signal: AbortSignal.timeout(leavesMs) }));
			return;
		}
		const passed = await forward(target);
		if (caller === 'lost after') response.destroy();
		else pass(response, passed);
	});
	return {
		...proxy,
		released: async () => {
			await Promise.all(held);
		},
	};
}

/**
 * Starts a proxy between relays and the sandbox. It cuts connections, delays requests and changes responses.
 * @param sandboxUrl without a slash at the end
 */
export async function startServiceHop(sandboxUrl: string): Promise<ServiceHop> {
	const charged = new Map<string, readonly string[]>();
	const slowedDown = new Set<string>();

	const proxy = await startHttpProxy(async ({ headers, forward }, response) => {
		const { id, service: fault } = readAttempt(headers[ATTEMPT_HEADER]);
		const reply = (status: number, body: object, more: Readonly<Record<string, string>> = {}) =>
			response.writeHead(status, { ...JSON_TYPE, ...more }).end(JSON.stringify(body));
		const send = async (): Promise<PassedResponse> => {
			const passed = await forward(sandboxUrl);
			const ids = idsOf(passed);
			if (ids.length > 0) charged.set(id, [...(charged.get(id) ?? []), ...ids]);
			return passed;
		};
		switch (fault) {
			case 'slow':
				await delay(Math.random() * SLOW_MS);
				pass(response, await send());
				return;
			case 'none':
				pass(response, await send());
				return;
			case 'reject':
				reply(422, { success: false, code: 'validation', message: 'Wrong number' });
				return;
			case 'success false':
				reply(200, { success: false, message: 'Not sent' });
				return;
			case 'too many':
				// The same attempt gets through later.
				if (slowedDown.has(id)) pass(response, await send());
				else reply(429, { success: false, message: 'Too many requests' }, { 'retry-after': '0.1' });
				slowedDown.add(id);
				return;
			case 'fail before':
				reply(500, { success: false, message: 'Broken' });
				return;
			case 'fail after':
				await send();
				reply(500, { success: false, message: 'Broken' });
				return;
			case 'drop before':
				response.destroy();
				return;
			case 'drop after':
				await send();
				response.destroy();
				return;
			case 'cut': {
				const passed = await send();
				pass(response, passed, Math.floor(passed.body.length / 2));
				return;
			}
		}
	});
	return { ...proxy, charged };
}

function idsOf({ body }: PassedResponse): string[] {
	let parsed: unknown;
	try {
		parsed = JSON.parse(body.toString());
	} catch {
		return [];
	}
	const { message_id, results = [] } = responseBody.safeParse(parsed).data ?? {};
	return [message_id, ...results.map((one) => one.message_id)].filter((one) => typeof one === 'string');
}
