import type { GatewayCall } from './call';
import { canonicalJson, contentOf } from './content';
import type { ClaimedPart } from './claims';
import { isIdempotencyKey, MOST_KEY_CHARACTERS } from './idempotencyKey';
import type { GivenCall } from './movedFrom';

/** A bulk send with a key for each recipient. */
export interface KeyedBulk {
	/** The fields of the body, without the keys and the recipients. */
	readonly text: Readonly<Record<string, unknown>>;
	readonly entries: readonly KeyedEntry[];
}

/** One recipient of a bulk send. */
export interface KeyedEntry {
	/** As the caller gave it. The service decides whether it is a number. */
	readonly to: unknown;
	readonly part: ClaimedPart;
}

/** Most recipients in one request. */
export const MOST_ENTRIES = 10_000;

/**
 * Reads the keys of a bulk send.
 * @param given the call as its sender gave it
 * @returns undefined if it has none; the problem as a sentence, and the field at fault, if they are wrong
 */
export function readKeyedBulk(
	{ endpoint, input }: GatewayCall,
	given: GivenCall,
): KeyedBulk | { readonly problem: string; readonly field: string } | undefined {
	if (endpoint.repeat !== 'once' || !Object.hasOwn(input, 'idempotency_keys')) return undefined;
	const { idempotency_keys: keys, to, ...text } = input;
	const wrong = (problem: string, field = 'idempotency_keys') => ({ problem, field });
	if (endpoint.id !== 'sms.sendBulk') {
		return wrong('idempotency_keys works only in POST /api/v1/sms/bulk. Correct the path, or leave the field out.');
	}
	if (!Array.isArray(keys)) return wrong('idempotency_keys is not a list. Give one key for each entry of to.');
	if (!Array.isArray(to) || to.length !== keys.length) {
		return wrong('idempotency_keys and to do not have the same length. Give one key for each entry of to.');
	}
	if (keys.length === 0) return wrong('to is empty. Give at least one recipient.', 'to');
	if (keys.length > MOST_ENTRIES)
		return wrong(`idempotency_keys has more than ${MOST_ENTRIES} keys. Send fewer at once.`);
	const givenText = Object.fromEntries(Object.entries(given.input).filter(([name]) => name !== 'idempotency_keys'));
	const seen = new Map<unknown, number>();
	const entries: KeyedEntry[] = [];
	for (const [place, key] of keys.entries() as ArrayIterator<[number, unknown]>) {
		const field = `idempotency_keys.${place}`;
		if (!isIdempotencyKey(key)) {
			return wrong(`${field} is not 1 to ${MOST_KEY_CHARACTERS} visible ASCII characters.`, field);
		}
		const before = seen.get(key);
		if (before !== undefined)
			return wrong(`${field} repeats entry ${before}. Give each recipient a key of its own.`, field);
		seen.set(key, place);
		const one: unknown = to[place];
		const recipients = typeof one === 'string' ? [one] : [];
		const content = contentOf(given, canonicalJson({ ...givenText, to: [one] }));
		entries.push({ to: one, part: { key, recipientKey: key, content, recipients } });
	}
	return { text, entries };
}
