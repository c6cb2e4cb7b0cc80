import { PROVIDER_STATUS } from '../handlers/message';
import { toTimestamp } from '../http/timestamp';
import type { Callback } from '../store/callbacks';
import type { Message } from '../store/messageRows';
import type { SettingsValues } from '../store/settings';

/**
 * Writes the payload of a callback. The API documents no payload, so there are several shapes (docs/assumptions.md).
 * @param message the message of a receipt, for the shape that repeats it
 */
export function callbackPayload(
	{ event, fact }: Pick<Callback, 'event' | 'fact'>,
	shape: SettingsValues['callback_shape'],
	message?: Pick<Message, 'sender_id' | 'text'>,
): Record<string, unknown> {
	const { at, ...fields } = fact;
	const timestamp = toTimestamp(Number(at));
	switch (shape) {
		case 'flat':
			return { event, ...fields, timestamp };
		case 'data':
			return { event, timestamp, data: fields };
		case 'message':
			return event === 'message.status'
				? { type: event, timestamp, message: withId(fields) }
				: { type: event, timestamp, wallet: fields };
		case 'pascal':
			return event === 'message.status' ? inPascalCase({ event, ...fields, timestamp }) : textual(fields);
		case 'whole_message':
			return event === 'message.status' ? wholeMessage(fields, message) : textual(fields);
	}
}

function withId({ message_id, ...fields }: Readonly<Record<string, unknown>>): Record<string, unknown> {
	return { id: message_id, ...fields };
}

function inPascalCase(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
	return Object.fromEntries(
		Object.entries(fields).map(([name, value]) => [
			name.replace(/(^|_)(\w)/g, (_all, _bar, letter: string) => letter.toUpperCase()),
			value,
		]),
	);
}

/** Alert of a service that writes amounts as strings and names the threshold differently. */
function textual({ balance, threshold, currency }: Callback['fact']): Record<string, unknown> {
	return { current_balance: Number(balance).toFixed(2), alert_threshold: Number(threshold).toFixed(2), currency };
}

/** Receipt that looks like an inbound message. Only the direction and the carrier's status differ. */
function wholeMessage(
	{ message_id, to, status }: Callback['fact'],
	message: Pick<Message, 'sender_id' | 'text'> | undefined,
): Record<string, unknown> {
	return { message_id, from: message?.sender_id, to, message: message?.text, status: PROVIDER_STATUS[String(status)] };
}
