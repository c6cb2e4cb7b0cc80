/** The types of events that subscriptions can choose. */
export const EVENT_TYPES = [
	'sms.inbound',
	'whatsapp.inbound',
	'message.status',
	'wallet.low_balance',
	'unrecognized',
	'relay.forward_failed',
] as const;

/** A type that subscriptions can choose. */
export type EventType = (typeof EVENT_TYPES)[number];

/** An event, as subscribers receive it and as the API returns it. */
export interface RelayEvent {
	/** Stable, and usable as a Send Once Key. */
	readonly id: string;
	/** An {@link EventType}, or `relay.test`. */
	readonly type: string;
	/** When the relay received it, ISO 8601. */
	readonly timestamp: string;
	/** Increases with each event. */
	readonly sequence: number;
	/** The fields of the n8n trigger's items. */
	readonly data: Readonly<Record<string, unknown>>;
}

/** A row of `relay.event`, as far as a {@link RelayEvent} needs it. */
export interface EventRow {
	readonly id: string;
	readonly type: string;
	readonly received_at: Date;
	/** PostgreSQL returns a bigint as text. */
	readonly sequence: string | number;
	readonly data: Readonly<Record<string, unknown>>;
}

/** The columns of {@link EventRow}, of the table alias `e`. */
export const EVENT_COLUMNS = 'e.id, e.type, e.received_at, e.sequence, e.data';

/** Makes the event of a row. */
export function toEvent({ id, type, received_at, sequence, data }: EventRow): RelayEvent {
	return { id, type, timestamp: received_at.toISOString(), sequence: Number(sequence), data };
}
