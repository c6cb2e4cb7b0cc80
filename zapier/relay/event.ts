import { z } from 'zod/v4';
import { parseEventItem } from '../../shared';

/** An event of the relay's API. Zapier reads a time without a zone as the user's local time, so it must have one. */
const event = z.object({
	id: z.string().min(1),
	type: z.string(),
	timestamp: z.iso.datetime({ offset: true }),
	data: z.unknown(),
});

/** Output of an instant trigger: one event, flat. */
export type EventRow = Readonly<Record<string, unknown>> & { readonly id: string };

/**
 * Makes the outputs of a trigger from events. Omits events of other types, such as a test of the relay, and events that
 * arrive twice in one request.
 * @param events one event, a list of events, or anything else
 * @param type of the trigger's events
 * @param keys of the outputs that come from the event's data
 * @returns rows in the order of the events; `id` is the ID of the event, the same for every delivery
 */
export function eventRows(events: unknown, type: string, keys: readonly string[]): EventRow[] {
	const rows = [events].flat().flatMap((given): Array<[string, EventRow]> => {
		const read = event.safeParse(given);
		if (!read.success || read.data.type !== type) return [];
		const { id, timestamp, data } = read.data;
		const item = parseEventItem(data);
		if (item?.event !== type) return [];
		const fields = Object.entries(item).filter(([key]) => keys.includes(key));
		return [[id, { id, received_at: timestamp, ...Object.fromEntries(fields) }]];
	});
	return [...new Map(rows).values()];
}
