import {
	defineTrigger,
	type Bundle,
	type PlainInputField,
	type PlainOutputField,
	type ZObject,
} from 'zapier-platform-core';
import { z as zod, z } from 'zod/v4';
import { cutText } from '../../shared/index';
import { runReading } from '../runtime/perform';
import { requireRelay, type EventFilter } from './relayClient';
import { signatureProblem, type ReceivedRequest } from './signature';
import { subscription } from './subscription';
import { parseEventItem } from '../../shared';

/** Most events that the editor shows, and most events of one request otherwise. */
const SAMPLES = 3;
const MAX_EVENTS = 100;

/** Longest label of a subscription, in characters. */
const MAX_LABEL = 100;

/** A request to the Zap's URL. A body in another form than text cannot have a valid signature. */
const received = zod.object({ headers: zod.record(zod.string(), zod.unknown()), content: zod.string() });
const NOTHING: ReceivedRequest = { headers: {}, content: '' };

/** Input of {@link defineInstantTrigger}. */
interface InstantTrigger<Key extends string> {
	readonly key: Key;
	readonly noun: string;
	readonly display: { readonly label: string; readonly description: string };
	/** Type of the events in the relay. */
	readonly type: string;
	readonly inputFields: PlainInputField[];
	/** Reads the fields as the relay's filter. */
	readonly readFilter: (inputData: Readonly<Record<string, unknown>>) => EventFilter;
	/** Changes the outputs of an event. Without it, they are the fields of the event. */
	readonly shape?: (row: EventRow) => EventRow;
	/** Output fields, without ID and Received At. */
	readonly outputFields: PlainOutputField[];
	/** Values of {@link outputFields}. */
	readonly sample: Readonly<Record<string, string | null>>;
}

/**
 * Defines a trigger that starts a Zap for each event of a relay, as the relay sends it (REST hooks). Filters run in the
 * relay, because every run costs the Zap's owner a task.
 */
export function defineInstantTrigger<const Key extends string>(trigger: InstantTrigger<Key>) {
	const { key, noun, display, type, inputFields, readFilter, shape = (row: EventRow) => row } = trigger;
	const rowsOf = (events: unknown) =>
		eventRows(
			events,
			type,
			trigger.outputFields.map((field) => field.key),
		).map(shape);

	const performSubscribe = async (z: ZObject, bundle: Bundle) =>
		await runReading(z, bundle, inputFields, async () => {
			const filter = readFilter(bundle.inputData);
			const label = labelOf(display.label, filter);
			return await requireRelay(z, bundle).subscribe({ url: bundle.targetUrl ?? '', types: [type], filter, label });
		});

	const performUnsubscribe = async (z: ZObject, bundle: Bundle) =>
		await runReading(z, bundle, inputFields, async () => {
			const { data: subscribed } = subscription.pick({ id: true }).safeParse(bundle.subscribeData);
			// Without an ID, turning the Zap on had failed, and there is nothing to delete.
			if (subscribed) await requireRelay(z, bundle).unsubscribe(subscribed.id);
			return {};
		});

	const performList = async (z: ZObject, bundle: Bundle) =>
		await runReading(z, bundle, inputFields, async () => {
			const limit = bundle.meta.isLoadingSample ? SAMPLES : MAX_EVENTS;
			return rowsOf(await requireRelay(z, bundle).events(type, readFilter(bundle.inputData), limit));
		});

	/** Makes no request. If one was rejected with a 429, Zapier would retry the event only once and then lose it. */
	const perform = async (z: ZObject, bundle: Bundle) =>
		await runReading(z, bundle, inputFields, () => {
			const { data: request = NOTHING } = received.safeParse(bundle.rawRequest);
			const { data: subscribed } = subscription.safeParse(bundle.subscribeData);
			const problem = subscribed ? signatureProblem(request, subscribed.secret) : NO_SECRET;
			if (problem !== undefined) throw new z.errors.HaltedError(problem);
			return rowsOf(parseSigned(request.content));
		});

	return defineTrigger({
		key,
		noun,
		display,
		operation: {
			type: 'hook',
			inputFields,
			perform,
			performSubscribe,
			performUnsubscribe,
			performList,
			sample: { id: 'evt_0198c2f4a1b07d3e', received_at: '2026-11-20T09:15:00.000Z', ...trigger.sample },
			outputFields: [
				{ key: 'id', label: 'ID', type: 'string' },
				{ key: 'received_at', label: 'Received At', type: 'datetime' },
				...trigger.outputFields,
			],
		},
	});
}

const NO_SECRET =
	'This Zap has no signing secret from the relay, so the event started nothing. Turn the Zap off and on again.';

/** Reads the body instead of Zapier's reading of it, because only the body is signed. */
function parseSigned(content: string): unknown {
	try {
		return JSON.parse(content);
	} catch {
		return undefined;
	}
}

/** E.g. `Zapier: New Inbound SMS (to KOFISHOP, keywords HOURS)`. */
function labelOf(name: string, { to, keywords, statuses, channels }: EventFilter): string {
	const parts = Object.entries({ to, keywords, statuses, channels }).flatMap(([what, values]) =>
		values ? `${what} ${values.join(' ')}` : [],
	);
	return cutText(`Zapier: ${name}${parts.length === 0 ? '' : ` (${parts.join(', ')})`}`, MAX_LABEL);
}

/** An event of the relay's API. Zapier reads a time without a zone as the user's local time, so it must have one. */
const event = z.object({
	id: z.string().min(1),
	type: z.string(),
	timestamp: z.iso.datetime({ offset: true }),
	data: z.unknown(),
});

/** Output of an instant trigger: one event, flat. */
type EventRow = Readonly<Record<string, unknown>> & { readonly id: string };

/**
 * Makes the outputs of a trigger from events. Omits events of other types, such as a test of the relay, and events that
 * arrive twice in one request.
 * @param events one event, a list of events, or anything else
 * @param type of the trigger's events
 * @param keys of the outputs that come from the event's data
 * @returns rows in the order of the events; `id` is the ID of the event, the same for every delivery
 */
function eventRows(events: unknown, type: string, keys: readonly string[]): EventRow[] {
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
