import { useLayoutEffect, useRef } from 'preact/hooks';
import type { ThreadEntry } from '../../gateway/thread';
import { useNow } from '../../../ui/clock';
import { LinkedText } from '../../../ui/LinkedText';
import { Problem } from '../../../ui/Problem';
import { shortUrl } from '../../../ui/shortUrl';

const CHANNELS: Readonly<Record<string, string>> = { whatsapp: 'WhatsApp', voice: 'Voice call', email: 'Email' };

const STATUSES: Readonly<Record<ThreadEntry['direction'], Readonly<Record<string, string>>>> = {
	received: {
		queued: 'queued',
		submitted: 'submitted',
		sent: 'sent ✓',
		delivered: 'delivered ✓✓',
		failed: 'failed',
	},
	sent: { posting: 'sending…', posted: 'sent ✓', failed: 'not delivered' },
};

/** Distance from the end within which the thread follows new messages, in pixels. */
const NEAR_END = 40;

const timeOfDay = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const dayAndTime = new Intl.DateTimeFormat(undefined, {
	weekday: 'short',
	day: 'numeric',
	month: 'short',
	hour: '2-digit',
	minute: '2-digit',
	hourCycle: 'h23',
});
const dayName = new Intl.DateTimeFormat(undefined, { weekday: 'long', day: 'numeric', month: 'long' });

/** The messages of one phone. It follows the newest one, unless the user reads further up. */
export function Thread({ entries }: { readonly entries: readonly ThreadEntry[] }) {
	const thread = useRef<HTMLDivElement>(null);
	const following = useRef(true);
	const lastSent = entries.findLast(({ direction }) => direction === 'sent')?.id;

	function followEnd(): void {
		const element = thread.current;
		if (element && following.current) element.scrollTop = element.scrollHeight;
	}
	useLayoutEffect(() => {
		following.current = true;
	}, [lastSent]);
	useLayoutEffect(followEnd, [entries]);
	useLayoutEffect(() => {
		if (!thread.current) return undefined;
		// The composer grows and shrinks with its text, and so does the thread above it.
		const observer = new ResizeObserver(followEnd);
		observer.observe(thread.current);
		return () => observer.disconnect();
	}, []);

	function noteScroll(): void {
		const element = thread.current;
		if (!element) return;
		following.current = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_END;
	}
	return (
		<div
			id="thread"
			role="log"
			aria-label="Messages"
			aria-relevant="additions"
			// Without it, the keyboard could not scroll.
			tabIndex={0}
			ref={thread}
			onScroll={noteScroll}
		>
			{entries.flatMap((entry, index) => {
				const previous = entries[index - 1];
				const sameDay = previous !== undefined && dayOf(previous) === dayOf(entry);
				const row = <Entry key={entry.id} entry={entry} first={!sameDay || !isSameParty(previous, entry)} />;
				return sameDay ? [row] : [<Day key={`day of ${entry.id}`} entry={entry} />, row];
			})}
		</div>
	);
}

function dayOf({ at }: ThreadEntry): string {
	return new Date(at).toDateString();
}

function isSameParty(one: ThreadEntry, other: ThreadEntry): boolean {
	return (['direction', 'sender', 'channel', 'recipient'] as const).every((key) => one[key] === other[key]);
}

function Day({ entry }: { readonly entry: ThreadEntry }) {
	const now = useNow();
	const isToday = dayOf(entry) === now().toDateString();
	return <p class="day">{isToday ? 'Today' : dayName.format(new Date(entry.at))}</p>;
}

function Entry({ entry, first }: { readonly entry: ThreadEntry; readonly first: boolean }) {
	const { direction, channel, subject, text, at, status, sender, recipient, deliveries = [] } = entry;
	const failed = deliveries.length < 2 ? entry.delivery : undefined;
	return (
		<div class={`entry ${direction}${first ? ' first' : ''}`}>
			<p class="party">
				{direction === 'received' ? sender : `to ${recipient}`}
				{CHANNELS[channel] !== undefined && <span class="channel"> · {CHANNELS[channel]}</span>}
			</p>
			<div class={`bubble ${direction}`} data-channel={channel} data-status={status}>
				{channel === 'voice' && (
					<p class="spoken">
						<svg viewBox="0 0 24 24" aria-hidden="true">
							<path d="M5 10v4h3l5 4V6L8 10zM17 9a4 4 0 0 1 0 6" />
						</svg>
						Spoken
					</p>
				)}
				{subject !== undefined && (
					<p class="subject" dir="auto">
						{subject}
					</p>
				)}
				<p class="text" dir="auto">
					<LinkedText text={text.trim() === '' ? '(blank)' : text} />
				</p>
				<p class="meta">
					<time dateTime={at}>{timeOfDay.format(new Date(at))}</time>
					<span class="status">{statusOf(entry)}</span>
				</p>
			</div>
			<Problem text={failed?.problem ? `could not be delivered to ${shortUrl(failed.url)}: ${failed.problem}` : ''} />
			{deliveries.length > 1 && (
				<ul class="deliveries">
					{deliveries.map((delivery, index) => (
						<li key={index} data-status={delivery.status}>
							{shortUrl(delivery.url)}: {resultOf(delivery)}
						</li>
					))}
				</ul>
			)}
		</div>
	);
}

function statusOf({ direction, status, scheduled_at, deliveries = [] }: ThreadEntry): string {
	if (scheduled_at !== undefined) return `scheduled for ${dayAndTime.format(new Date(scheduled_at))}`;
	const delivered = deliveries.filter((one) => one.status === 'posted').length;
	if (status === 'failed' && delivered > 0) return `delivered to ${delivered} of ${deliveries.length}`;
	return STATUSES[direction][status] ?? status;
}

/** Describes the delivery of a message to one of several URLs. */
function resultOf({ status, http_status, problem }: NonNullable<ThreadEntry['deliveries']>[number]): string {
	if (status === 'posting') return 'sending…';
	return status === 'posted' ? `accepted, ${http_status ?? ''}` : (problem ?? '');
}
