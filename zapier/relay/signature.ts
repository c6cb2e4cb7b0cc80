import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Largest difference between the time of a signature and this machine's clock, in seconds: a day. The relay signs when it
 * posts, and Zapier may run the trigger much later
 * (https://help.zapier.com/hc/en-us/articles/29972220283789-Webhooks-by-Zapier-rate-limits). Zapier has confirmed the
 * event by then, so a rejected event would be lost to the Zap, and the relay would not repeat it.
 */
const TOLERANCE_SECONDS = 24 * 60 * 60;

/** A request that Zapier received for a Zap. */
export interface ReceivedRequest {
	/** As Zapier names them (`Http-Webhook-Id`), or as they were sent (`webhook-id`). */
	readonly headers: Readonly<Record<string, unknown>>;
	/** The body, byte for byte. */
	readonly content: string;
}

/**
 * Checks that the relay sent a request, and did so within a day (Standard Webhooks, "Verifying webhook authenticity").
 * @param secret of the subscription: `whsec_` and base64
 * @param now milliseconds since 1970
 * @returns a sentence with the problem; undefined if the request is genuine
 */
export function signatureProblem(
	{ headers, content }: ReceivedRequest,
	secret: string,
	now = Date.now(),
): string | undefined {
	const found = new Map(Object.entries(headers).map(([name, value]) => [plainName(name), valueOf(value)]));
	const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
		found.get(name),
	);
	if (!id || !timestamp || !signatures)
		return 'This request has no signature, so it started nothing. Only your relay may use the URL of this Zap.';
	const age = Math.abs(now / 1000 - (/^\d{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NaN));
	// NaN is not within the tolerance either.
	if (!(age <= TOLERANCE_SECONDS)) {
		return 'The signature of this request is not from the last 24 hours, so it started nothing. Check the clock of your relay, and replay the event there.';
	}
	const expected = createHmac('sha256', Buffer.from(secret.replace(/^whsec_/, ''), 'base64'))
		.update(`${id}.${timestamp}.${content}`)
		.digest();
	// A relay that changes its secret may sign with the old and the new one.
	const isGenuine = signatures.split(' ').some((signature) => {
		const [version, value = ''] = signature.split(',', 2);
		const given = Buffer.from(value, 'base64');
		return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
	});
	return isGenuine
		? undefined
		: 'The signature of this request is wrong, so it started nothing. If this repeats, turn the Zap off and on.';
}

/** The text of a header. Zapier does not document the JSON types of headers. */
function valueOf(value: unknown): string | undefined {
	const single: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
	return typeof single === 'string' || typeof single === 'number' ? String(single) : undefined;
}

function plainName(name: string): string {
	return name.toLowerCase().replace(/^http-/, '');
}
