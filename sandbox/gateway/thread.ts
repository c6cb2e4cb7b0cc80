import type { Message } from '../store/messageRows';
import type { PhoneText, PhoneTextPost } from '../store/phoneTexts';
import type { Store } from '../store/store';

/** One bubble on a phone. `at` is ISO 8601. */
export interface ThreadEntry {
	readonly id: string;
	/** `received` by the phone, or `sent` from it. */
	readonly direction: 'received' | 'sent';
	readonly channel: Message['channel'];
	/** Only of emails. */
	readonly subject?: string;
	readonly sender: string;
	readonly recipient: string;
	readonly text: string;
	readonly at: string;
	/** Delivery status of the message, or of a phone message: posting, posted or failed. */
	readonly status: string;
	/** Only of a scheduled message that has not left: the time at which it will, in ISO 8601. */
	readonly scheduled_at?: string;
	/** Only of `sent`: the first delivery that failed, otherwise the first. */
	readonly delivery?: Delivery;
	/** Only of `sent`: every delivery. */
	readonly deliveries?: readonly (Delivery & { readonly status: string })[];
}

/** URL that received a phone message, its HTTP status, and why the delivery failed. */
interface Delivery {
	readonly url: string;
	readonly http_status: number | null;
	readonly problem: string | null;
}

const LIMIT = 200;

/** Returns the newest 200 bubbles of a phone, oldest first. */
export function readThread(store: Store, number: string): ThreadEntry[] {
	const received = store.messages.listTo(number, LIMIT).map(toReceived);
	const sent = store.phoneTexts.listFrom(number, LIMIT).map(toSent);
	return [...received, ...sent].sort((one, other) => one.at.localeCompare(other.at)).slice(-LIMIT);
}

function toReceived(message: Message): ThreadEntry {
	const { id, channel, sender_id, recipient, subject, text, created_at, scheduled_at, status } = message;
	return {
		id,
		direction: 'received',
		channel,
		...(subject !== null && { subject }),
		sender: sender_id,
		recipient,
		text,
		at: toIso(created_at),
		status,
		...(status === 'queued' && scheduled_at !== null && { scheduled_at: toIso(scheduled_at) }),
	};
}

/** Converts a phone message to a bubble. */
export function toSent({ id, channel, sender, recipient, text, created_at, posts }: PhoneText): ThreadEntry {
	const shown = posts.find(({ status }) => status === 'failed') ?? posts[0];
	return {
		id,
		direction: 'sent',
		channel,
		sender,
		recipient,
		text,
		at: toIso(created_at),
		status: posts.find(({ status }) => status === 'posting')?.status ?? shown?.status ?? 'posted',
		...(shown && { delivery: toDelivery(shown) }),
		deliveries: posts.map((one) => ({ ...toDelivery(one), status: one.status })),
	};
}

function toDelivery({ url, http_status, problem }: PhoneTextPost): Delivery {
	return { url, http_status, problem };
}

function toIso(milliseconds: number): string {
	return new Date(milliseconds).toISOString();
}
