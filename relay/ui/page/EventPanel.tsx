import type { Delivery, EventDetail } from '../../http/schemas';
import type { Subscription } from '../../subscriptions/schema';
import { ActionButton } from '../../../ui/ActionButton';
import { Ago } from '../../../ui/Ago';
import { Attempts } from '../../../ui/Attempts';
import { Badge } from '../../../ui/Badge';
import { Hint } from '../../../ui/Card';
import { Code, formatBody } from '../../../ui/Code';
import { Facts } from '../../../ui/Facts';
import { Field, Form, type FormValues } from '../../../ui/Form';
import { toUrl } from '../../../ui/router';
import { shortUrl } from '../../../ui/shortUrl';
import { type PanelProps, SidePanel } from '../../../ui/SidePanel';
import { Time } from '../../../ui/Time';
import { showToast } from '../../../ui/Toast';
import { relay } from './client';
import { useData } from './useData';
import { counted, DELIVERY_TONES, describeEvent, nameOf, partiesOf, TYPES } from './words';

/** The panel of one event: its data, its request, and every delivery with each attempt. */
export function EventPanel({ id, onClose }: PanelProps) {
	const {
		data: event,
		problem,
		refresh,
	} = useData(['events', 'deliveries'], async () => await relay.call('GET v1/events/:id', { params: { id } }));
	return (
		<SidePanel title="Event" problem={problem} onClose={onClose}>
			{event && (
				<>
					<p class="panel-status">
						<strong dir="auto">{describeEvent(event)}</strong>
					</p>
					<Facts
						facts={{
							Type: TYPES[event.type] ?? event.type,
							Numbers: partiesOf(event),
							Received: (
								<>
									<Time at={event.timestamp} /> (<Ago at={event.timestamp} />)
								</>
							),
							'Event ID': <span class="code">{event.id}</span>,
							Copies: event.copies > 1 && `Arrived ${event.copies} times, delivered once`,
							Late: event.late && 'A later status had already arrived, so it was not delivered.',
						}}
					/>
					<h3>Deliveries</h3>
					<Deliveries event={event} onRetry={refresh} />
					<Replay event={event} onReplay={refresh} />
					<h3>Data</h3>
					<Code name="Data" text={JSON.stringify(event.data, null, 2)} />
					<h3>Request, {event.content_type ?? 'without a content type'}</h3>
					<Code name="Request body" text={formatBody(event.body, event.content_type ?? '') || '(empty)'} />
				</>
			)}
		</SidePanel>
	);
}

interface DeliveriesProps {
	readonly event: EventDetail;
	readonly onRetry: () => Promise<void>;
}

function Deliveries({ event, onRetry }: DeliveriesProps) {
	if (event.deliveries.length === 0) return <Hint>No subscription wanted this event.</Hint>;
	return (
		<ul class="plain-list divided">
			{event.deliveries.map((delivery) => (
				<li key={delivery.id}>
					<OneDelivery delivery={delivery} onRetry={onRetry} />
				</li>
			))}
		</ul>
	);
}

interface OneDeliveryProps {
	readonly delivery: Delivery;
	readonly onRetry: () => Promise<void>;
}

function OneDelivery({ delivery, onRetry }: OneDeliveryProps) {
	const { id, subscription, state, attempts, replays, next_attempt_at, tries } = delivery;
	const name = nameOf(subscription);

	async function retry(): Promise<void> {
		await relay.call('POST v1/deliveries/:id/retry', { params: { id } });
		showToast('Retry started');
		await onRetry();
	}
	return (
		<>
			<p class="panel-status">
				<a href={toUrl('subscriptions', subscription.id)}>{name}</a>
				<Badge tone={DELIVERY_TONES[state]}>{state}</Badge>
				{(state === 'pending' || state === 'failed') && (
					<ActionButton act={retry} label={`Retry ${name}`} look="small">
						Retry
					</ActionButton>
				)}
			</p>
			<p class="hint tight">
				{subscription.label !== null && `${shortUrl(subscription.url)} · `}
				{counted(attempts, 'attempt')}
				{replays > 0 && ` since replay ${replays}`}
				{next_attempt_at && (
					<>
						{' '}
						· next <Ago at={next_attempt_at} />
					</>
				)}
			</p>
			<Attempts
				attempts={tries.map(({ at, ms, status, error }, index) => ({
					id: `${at} ${index}`,
					at,
					http_status: status,
					problem: error,
					milliseconds: ms,
				}))}
			/>
		</>
	);
}

interface ReplayProps {
	readonly event: EventDetail;
	readonly onReplay: () => Promise<void>;
}

function Replay({ event, onReplay }: ReplayProps) {
	const { data } = useData(['subscriptions'], async () => (await relay.call('GET v1/subscriptions')).data);
	const wants = ({ types }: Subscription) => types.includes(event.type);
	const choices = (data ?? [])
		.filter(({ state }) => state === 'active' || state === 'paused')
		// The relay's own receivers understand only their types.
		.filter((one) => one.token !== null || wants(one))
		.sort((one, other) => Number(wants(other)) - Number(wants(one)));
	if (data === undefined) return null;
	if (choices.length === 0) return <Hint>To replay this event, activate a subscription first.</Hint>;

	async function replay({ subscription }: FormValues): Promise<void> {
		await relay.call('POST v1/events/:id/replay', { params: { id: event.id }, body: { subscription } });
		showToast('Replay started');
		await onReplay();
	}
	return (
		<>
			<h3>Replay</h3>
			<Form action="Replay" layout="line" submit={replay}>
				<Field
					name="subscription"
					label="Subscription"
					kind="select"
					hint="It gets the event once more, with the same ID."
					options={choices.map((one) => ({ value: one.id, label: nameOf(one) }))}
				/>
			</Form>
		</>
	);
}
