import type { Cipher } from '../cipher';
import type { GatewayCall } from './call';
import { canonicalJson, contentOf } from './content';
import type { Digest } from './digests';
import type { CallKeys } from './idempotencyKey';
import type { KeyAge } from './keyAge';
import type { GivenCall } from './movedFrom';
import { newSendId, type NewClaim } from './store';

/** The parts of a claim that differ between the recipients of a bulk send. */
export interface ClaimedPart extends CallKeys {
	/** Compared with later calls with the same key. */
	readonly content: string;
	readonly recipients: readonly string[];
}

/** Makes a claim for a part of a call. @param age if the key has a maximum age */
export type MakeClaim = (call: GatewayCall, part: ClaimedPart, apiKeyDigest: string, age?: KeyAge) => NewClaim;

/** Final digits that a person may recognize. */
export const END_DIGITS = 4;

const SEPARATOR = ', ';

/** Writes the recipients of a send as the text that is sealed. */
export function joinRecipients(recipients: readonly string[]): string {
	return recipients.join(SEPARATOR);
}

/** Reads the text of {@link joinRecipients}. */
export function splitRecipients(text: string): string[] {
	return text.split(SEPARATOR);
}

/** Creates the function that makes claims. It keeps no text of a call: digests, and the sealed recipient. */
export function createClaims(digest: Digest, cipher: Cipher): MakeClaim {
	return (call, { key, recipientKey, content, recipients }, apiKeyDigest, age) => ({
		id: newSendId(),
		mode: call.mode,
		key_digest: digest('idempotency-key', key),
		recipient_key_digest: recipientKey === undefined ? null : digest('idempotency-key', recipientKey),
		content_digest: digest('content', content),
		endpoint: call.endpoint.id,
		api_key_digest: apiKeyDigest,
		recipient: recipients.length === 0 ? null : cipher.seal(joinRecipients(recipients)),
		recipient_end: endOf(recipients),
		call_digest: age?.call ?? null,
		max_age_seconds: age?.maxSeconds ?? null,
	});
}

function endOf(recipients: readonly string[]): string | null {
	const [only, ...others] = recipients;
	const digits = only !== undefined && !only.includes('@') ? only.replace(/\D/g, '') : '';
	return others.length === 0 && digits.length > END_DIGITS ? digits.slice(-END_DIGITS) : null;
}

/**
 * The part of a call with the same keys for all of it.
 * @param given the call as its sender gave it
 */
export function wholeCall({ text, body, input }: GatewayCall, given: GivenCall, keys: CallKeys): ClaimedPart {
	const recipients = [input.to ?? input.phone].flat().filter((one) => typeof one === 'string');
	// Bytes that are no UTF-8 all become the same character.
	if (body && text.includes('\uFFFD')) {
		return { ...keys, content: contentOf(given, Buffer.from(body).toString('base64')), recipients };
	}
	return { ...keys, content: contentOf(given, given.json ? canonicalJson(given.json.value) : text), recipients };
}
