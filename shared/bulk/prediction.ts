import { checkInput } from '../client/checkInput';
import type { Outcome } from '../client/outcome';
import { withSentFields, type SentFields } from '../client/sentFields';
import type { Endpoint } from '../contract/endpoint';
import { countSegments, type Encoding } from '../text/countSegments';
import { estimate } from '../text/estimate';
import { cheaperSpelling } from '../text/spelling';
import { balanceShortage, balanceUnread, type WalletBalance } from '../wallet/balanceShortage';

/**
 * The sentence of a dry run about every message that a real run would send.
 * @example const row = { dry_run: true, outcome: 'would_send', message: text, note: DRY_RUN };
 */
export const DRY_RUN = 'This is a dry run. Nothing was sent or charged.';

/**
 * The sentence of a dry run about an item whose Send Once Key an item before it has.
 * @example const row = { dry_run: true, outcome: 'would_skip', reason: 'already_sent', message: SAME_KEY_IN_RUN };
 */
export const SAME_KEY_IN_RUN =
	'An earlier item of this run has the same Send Once Key. A real run would send only that one.';

/**
 * The sentence of a dry run about a message whose Send Once Key cannot be looked up.
 * @example const note = [DRY_RUN, KEY_NOT_KNOWN].join(' ');
 */
export const KEY_NOT_KNOWN = 'It is not known here whether its Send Once Key was used before.';

/**
 * As {@link KEY_NOT_KNOWN}, if a relay keeps the keys.
 * @example const note = [DRY_RUN, KEY_KNOWN_TO_RELAY].join(' ');
 */
export const KEY_KNOWN_TO_RELAY = 'Only the relay knows whether its Send Once Key was used before.';

/**
 * The predicted size and cost of a message to one recipient.
 * @example const { segment_count, cost }: PredictedMessage = predictMessage('We are open', 0.05);
 */
export interface PredictedMessage {
	/** Billed segments. */
	readonly segment_count: number;
	readonly encoding: Encoding;
	/** In currency units; only if a price is known. */
	readonly cost?: number;
	/** The same message in fewer segments; only if there is one. */
	readonly cheaper_message?: string;
	/** Segments that the cheaper message saves. */
	readonly segments_saved?: number;
}

/**
 * The prediction for a send to one recipient. Only an SMS has segments.
 * @example const { to, cost }: PredictedSend = predictSend(contract.sms.send, input, 0.05);
 */
export interface PredictedSend extends SentFields, Partial<PredictedMessage> {
	/** The subject of an email. */
	readonly subject?: string;
	/** The text as the recipient would read it. A one-time code has none, because the service writes it. */
	readonly message?: string;
	/** When the service would send it, on its clock; only if it is scheduled. */
	readonly schedule_at?: string;
}

/**
 * The balance of the wallet before and after the messages of a dry run. Amounts are in currency units.
 * @example const { balance_now, balance }: PredictedBalance = predictBalance(read, 0.25);
 */
export interface PredictedBalance {
	/** The balance at the time of the dry run. */
	readonly balance_now?: number;
	/** The estimated balance afterwards; only if a price is known and the balance is enough. */
	readonly balance?: number;
	/** The currency of the amounts; only if the service gives it. */
	readonly currency?: string;
	/** Why the balance is not known or not enough. */
	readonly warning?: string;
}

/**
 * Predicts the outcome of a call by its input alone. Makes no request.
 * @returns `rejected`, in the words of the call itself, or a response of a service that accepts everything
 * @example predictCall(contract.sms.send, input).outcome // 'accepted'
 */
export function predictCall(
	endpoint: Endpoint,
	input: Readonly<Record<string, unknown>>,
): Outcome<{ readonly success: true }> {
	const checked = checkInput(endpoint, input);
	return checked.ok ? { outcome: 'accepted', output: { success: true } } : checked.failed;
}

/**
 * Predicts a cost at a price that the caller gives, because the service has no price list.
 * @param units number of units, such as segments or calls
 * @param perUnit price of one unit, in currency units; undefined or 0 if it is not known
 * @returns undefined without a price
 * @example predictCost(5, 0.05) // 0.25
 */
export function predictCost(units: number, perUnit: number | undefined): number | undefined {
	if (!perUnit) return undefined;
	// The empty text is one unit.
	const estimated = estimate({ text: '', recipients: units, price: { perSegment: perUnit } });
	return estimated.ok ? estimated.cost : undefined;
}

/**
 * Predicts the size and the cost of an SMS to one recipient, as {@link predictCost} does.
 * @example predictMessage('We are open', 0.05) // { segment_count: 1, encoding: 'GSM-7', cost: 0.05 }
 */
export function predictMessage(message: string, perSegment: number | undefined): PredictedMessage {
	const { segment_count, encoding } = countSegments(message);
	const cost = predictCost(segment_count, perSegment);
	const cheaper = cheaperSpelling(message);
	return {
		segment_count,
		encoding,
		...(cost !== undefined && { cost }),
		...(cheaper && { cheaper_message: cheaper.text, segments_saved: cheaper.segments_saved }),
	};
}

/**
 * Predicts a send to one recipient.
 * @param input of the call; it must fit the contract
 * @param perUnit price of the unit that the endpoint is charged by, as for {@link predictCost}
 * @example predictSend(contract.sms.send, input, 0.05).segment_count
 */
export function predictSend(
	endpoint: Endpoint,
	input: Readonly<Record<string, unknown>>,
	perUnit: number | undefined,
): PredictedSend {
	const { subject, message, schedule_at } = input;
	const isSms = endpoint.charges === 'segment' && typeof message === 'string';
	const cost = predictCost(1, perUnit);
	const sent: SentFields = withSentFields(endpoint, input, {});
	return {
		...sent,
		...(typeof subject === 'string' && { subject }),
		...(typeof message === 'string' && { message }),
		...(typeof schedule_at === 'string' && { schedule_at }),
		...(isSms ? predictMessage(message, perUnit) : cost !== undefined && { cost }),
	};
}

/**
 * Predicts the balance after messages are sent.
 * @param read the outcome of reading the balance
 * @param cost estimated cost of the messages, in currency units; undefined if it is not known
 * @example predictBalance({ outcome: 'accepted', output: { balance: 40 } }, 0.25).balance // 39.75
 */
export function predictBalance(read: Outcome<WalletBalance>, cost: number | undefined): PredictedBalance {
	if (read.outcome !== 'accepted') return { warning: balanceUnread(read.error) };
	const { balance: balance_now, currency } = read.output;
	const about = { balance_now, ...(currency && { currency }) };
	if (cost === undefined) return about;
	const warning = balanceShortage(read.output, cost);
	if (warning !== undefined) return { ...about, warning };
	// Six decimals, without the errors of binary fractions.
	return { ...about, balance: Math.round((balance_now - cost) * 1e6) / 1e6 };
}
