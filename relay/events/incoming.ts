import type { EventItem } from '../../shared/index';

/** An event that arrived, recognized and ready to be stored. */
export interface IncomingEvent {
	readonly type: string;
	readonly data: Readonly<Record<string, unknown>>;
	/** The fields to filter by, if the event has any. */
	readonly item?: EventItem;
	/** Deliveries with the same key keep their order. */
	readonly orderKey: string | null;
	/** An opt-out, which leaves first. */
	readonly urgent: boolean;
	/** The phone number, to search and erase by. */
	readonly party: string | null;
	/** How the event is recognized again. Receipts are compared with their message instead. */
	readonly identity?: {
		readonly digest: string;
		readonly knownMs: number;
		/** A digest that is new again after this event: a STOP after a START. */
		readonly ends?: string;
	};
	/** The status of a receipt, and a digest of its message. */
	readonly receipt?: { readonly message: string; readonly status: string };
	/** The request's body, or the part of this event. */
	readonly body: Uint8Array;
	readonly contentType: string | null;
	/** An unrecognized request to a URL for inbound messages. */
	readonly atInboundUrl?: boolean;
	/** Only this subscription gets the event. */
	readonly only?: string;
}

/** An event in the log. */
export interface StoredEvent {
	/** Its ID. For a duplicate, the ID of the first one, or null for a receipt. */
	readonly id: string | null;
	readonly duplicate: boolean;
}
