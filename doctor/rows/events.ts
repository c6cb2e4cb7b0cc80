import type { EventName } from '../../shared';
import { joined, notAttempted, type Facts, type Finding, type Row } from './row';

const LISTEN = 'Run the doctor with `--public-url URL`, and paste the printed address in the dashboard.';

function received({ webhooks = [] }: Facts, name: EventName, trigger: string): Finding {
	const events = webhooks.filter(({ event }) => event === name);
	if (events.length === 0) {
		const unread = webhooks.filter(({ event }) => event === undefined);
		if (unread.length === 0) return notAttempted(`${LISTEN} ${trigger}`);
		return {
			service: joined(unread.map(({ words }) => words)),
			reading: 'A webhook arrived that is no known event.',
			verdict: 'unreadable',
			next: trigger,
		};
	}
	return {
		service: joined(events.map(({ words }) => words)),
		reading: `Recognizes it as \`${name}\`.`,
		verdict: 'ok',
	};
}

function authentication(webhooks: Facts['webhooks'], names: readonly EventName[]): Finding | undefined {
	const events = (webhooks ?? []).filter(({ event }) => event !== undefined && names.includes(event));
	if (events.length === 0) return undefined;
	const headers = [...new Set(events.flatMap(({ secretHeaders }) => secretHeaders))];
	if (headers.length === 0) {
		return {
			service: 'No header looks like a secret or a signature.',
			reading: 'The URL is the secret.',
			verdict: 'ok',
		};
	}
	return {
		service: `Headers: ${joined(headers.map((name) => `\`${name}\``))}.`,
		reading: 'Ignores it, unless you set a secret or signature in the trigger.',
		verdict: 'differs',
	};
}

/** Rows about webhooks. */
export const eventRows = {
	'Callback retries and signatures': ({ webhooks }) =>
		authentication(webhooks, ['deliveryReceipt', 'lowBalance']) ?? notAttempted(`${LISTEN} Then send a message.`),
	'Delivery receipt payloads': (facts) => received(facts, 'deliveryReceipt', 'Then send a message.'),
	'Low-balance alert payloads': (facts) =>
		received(facts, 'lowBalance', 'Then let the balance fall below the threshold of the dashboard.'),
	'Inbound WhatsApp payloads': (facts) => received(facts, 'inboundWhatsapp', 'Then write to your WhatsApp number.'),
	'Opt-out keywords': () =>
		notAttempted('Text STOP from your own phone, and send yourself an SMS. Opt in again with START.'),
	'Inbound authentication': ({ webhooks }) =>
		authentication(webhooks, ['inboundSms', 'inboundWhatsapp']) ?? notAttempted(`${LISTEN} Then text your number.`),
	'Inbound responses': () =>
		notAttempted('Forward a real inbound SMS with the trigger: a made-up one would be in your inbox.'),
} satisfies Record<string, Row>;
