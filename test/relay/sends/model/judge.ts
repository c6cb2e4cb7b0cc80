import { z } from 'zod/v4';
import type { GatewayResponse } from '../../../support/relay/gateway';

/** A message that the sandbox charged. */
export interface Charge {
	readonly message_id: string;
	readonly to: string;
	readonly message: string;
}

/** An idempotency key with all that people decided about it. */
export interface ModelKey {
	readonly key: string;
	/** The recipient. No other key of the group has it. */
	readonly to: string;
	/** What happened to it, to find the cause of a problem. */
	readonly trace: string[];
	/** How often a person allowed that it is sent again, or may have. */
	sentAgain: number;
	/** Whether a person said that it arrived, or may have. */
	arrived: boolean;
	/** How often it may have become too old, so that another call may send again. */
	agings: number;
}

/** A response of the relay to an attempt. */
export interface Heard {
	readonly kind: 'single' | 'bulk';
	readonly keys: readonly ModelKey[];
	readonly message: string;
	/** This attempt and the earlier ones of the same call. */
	readonly attempts: readonly string[];
	readonly response: GatewayResponse;
	/** Whether it was asked at the end, when nothing was in flight any more. */
	readonly isLast: boolean;
}

/** All that is known about a group of histories when it is over. */
export interface Evidence {
	readonly keys: readonly ModelKey[];
	readonly heard: readonly Heard[];
	/** The ledger of the sandbox. */
	readonly charges: readonly Charge[];
	/** Message IDs in the responses of the sandbox, by attempt. */
	readonly charged: ReadonlyMap<string, readonly string[]>;
	/** Recipients of the sends that the relay lists as unknown. */
	readonly unknown: readonly string[];
}

/** The problems of a group of histories. */
export interface Verdict {
	/** Keys that were charged too often. */
	readonly doubles: readonly string[];
	/** Responses and rows that are not true. */
	readonly falseRows: readonly string[];
}

const id = z.string().nullish();
const body = z.looseObject({
	message_id: id,
	results: z.array(z.object({ to: z.string(), message_id: id })).optional(),
	relay: z
		.object({
			settled_by: z.string().optional(),
			skipped: z
				.array(z.object({ to: z.string(), outcome: z.enum(['accepted', 'unknown']), message_id: id }))
				.optional(),
		})
		.optional(),
});

/** What a response says about one key. */
type Claim =
	| { readonly outcome: 'accepted'; readonly messageId: string | undefined; readonly isReplay: boolean }
	| { readonly outcome: 'rejected' | 'unknown' | 'nothing' };

/** Compares all responses of the relay with the ledger of the sandbox. */
export function judge({ keys, heard, charges, charged, unknown }: Evidence): Verdict {
	const chargesOf = Map.groupBy(charges, ({ to }) => to);
	const falseRows: string[] = [];

	for (const one of heard) {
		for (const key of one.keys) {
			const problem = problemOf(one, key, chargesOf.get(key.to) ?? [], charged);
			if (problem !== undefined)
				falseRows.push([`${key.key} ${one.attempts.at(-1)}: ${problem}`, ...key.trace].join('\n'));
		}
	}
	const doubles = keys
		.filter(({ to, sentAgain, agings }) => (chargesOf.get(to)?.length ?? 0) > 1 + sentAgain + agings)
		.map((key) => {
			const ids = chargesOf.get(key.to)?.map(({ message_id }) => message_id);
			return [`${key.key} was charged as ${ids?.join(' and ')}`, ...key.trace].join('\n');
		});

	// The list that people settle has exactly the keys that are unknown to callers.
	for (const key of keys) {
		const last = heard.filter(({ isLast, keys: [only] }) => isLast && only === key);
		const isUnknown = last.some((one) => claimOf(one, key).outcome === 'unknown');
		// An unknown send stays on the list after another call has got its key.
		if (last.length > 0 && (isUnknown || key.agings === 0) && isUnknown !== unknown.includes(key.to)) {
			const problem = `${key.key} is ${isUnknown ? '' : 'not '}unknown to callers, and the list says otherwise`;
			falseRows.push([problem, ...key.trace].join('\n'));
		}
		falseRows.push(...forgotten(key, heard, last));
	}
	return { doubles, falseRows };
}

/** Finds a false statement about a key in a response. @returns the problem, if there is one */
function problemOf(
	one: Heard,
	key: ModelKey,
	charges: readonly Charge[],
	charged: Evidence['charged'],
): string | undefined {
	const claim = claimOf(one, key);
	switch (claim.outcome) {
		case 'accepted': {
			const isRight = charges.length >= 1 && charges.length <= 1 + key.agings;
			if (key.sentAgain === 0 && !key.arrived && !isRight) return `charged ${charges.length} times`;
			const { messageId } = claim;
			if (messageId === undefined) return key.arrived ? undefined : 'no message ID, and no person settled it';
			const isTrue = charges.some(({ message_id, message }) => message_id === messageId && message === one.message);
			return isTrue ? undefined : `no charge has the message ID ${messageId}`;
		}
		case 'rejected': {
			// A person may have freed the key after an earlier attempt was charged.
			const own = key.sentAgain === 0 ? one.attempts : one.attempts.slice(-1);
			const ids = own.flatMap((attempt) => charged.get(attempt) ?? []);
			const isFalse = charges.some(({ message_id }) => ids.includes(message_id));
			return isFalse ? 'rejected, but charged by this call' : undefined;
		}
		case 'unknown':
		case 'nothing':
			return undefined;
	}
}

/** A send that was accepted stays accepted, with the same message. */
function forgotten(key: ModelKey, heard: readonly Heard[], last: readonly Heard[]): string[] {
	if (key.sentAgain > 0 || key.agings > 0) return [];
	const accepted = heard.flatMap((one) => {
		if (one.isLast || !one.keys.includes(key)) return [];
		const claim = claimOf(one, key);
		return claim.outcome === 'accepted' && claim.messageId !== undefined ? [{ one, claim }] : [];
	});
	return accepted.flatMap(({ one, claim }) => {
		const same = last.find(({ kind, message }) => kind === one.kind && message === one.message);
		const now = same && claimOf(same, key);
		if (now?.outcome === 'accepted' && now.isReplay && now.messageId === claim.messageId) return [];
		// A person may have settled it as arrived while its call was in flight beyond its time.
		if (now?.outcome === 'accepted' && now.isReplay && now.messageId === undefined && key.arrived) return [];
		const problem = `${key.key} was accepted as ${claim.messageId}, and is now ${JSON.stringify(now)}`;
		return [[problem, ...key.trace].join('\n')];
	});
}

/** Reads what a response says about a key. */
export function claimOf({ kind, response }: Heard, { to }: ModelKey): Claim {
	const { outcome, text, isReplay } = response;
	if (outcome === 'rejected' || outcome === 'unknown') {
		const skipped = outcome === 'unknown' && response.status === 200 ? read(text)?.relay?.skipped : undefined;
		const entry = skipped?.find((one) => one.to === to);
		if (entry?.outcome === 'accepted') {
			return { outcome: 'accepted', messageId: entry.message_id ?? undefined, isReplay: true };
		}
		return { outcome };
	}
	if (outcome !== 'accepted') return { outcome: 'nothing' };
	const { message_id, results, relay } = read(text) ?? {};
	if (kind === 'single') return { outcome, messageId: message_id ?? undefined, isReplay };
	const skipped = relay?.skipped?.find((one) => one.to === to);
	if (skipped?.outcome === 'unknown') return { outcome: 'unknown' };
	const row = skipped ?? results?.find((one) => one.to === to);
	return { outcome, messageId: row?.message_id ?? undefined, isReplay: skipped !== undefined };
}

function read(text: string): z.output<typeof body> | undefined {
	try {
		return body.safeParse(JSON.parse(text)).data;
	} catch {
		return undefined;
	}
}
