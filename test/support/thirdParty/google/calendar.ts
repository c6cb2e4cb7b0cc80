import { Hono } from 'hono';
import { randomBytes } from 'node:crypto';
import { z } from 'zod/v4';
import type { GoogleAccount } from './account';
import { googleError } from './errors';

const moment = z.object({
	dateTime: z.iso.datetime({ offset: true }).optional(),
	date: z.iso.date().optional(),
	timeZone: z.string().optional(),
});

/** The fields of an event that a person, or a workflow, writes. */
const writable = z.object({
	summary: z.string().optional(),
	description: z.string().optional(),
	location: z.string().optional(),
	colorId: z.string().optional(),
	start: moment,
	end: moment,
});

/** What a person enters for a new event. */
export type NewEvent = z.input<typeof writable>;

/** An event with the fields that workflows use, in the names of Google. */
export type CalendarEvent = z.output<typeof writable> & {
	readonly id: string;
	readonly status: 'confirmed' | 'cancelled';
	readonly created: string;
	readonly updated: string;
};

/** The API of Google Calendar, as n8n's nodes use it (https://developers.google.com/workspace/calendar/api/v3/reference). */
export interface GoogleCalendar {
	/** Serves `www.googleapis.com/calendar/v3`. */
	readonly app: Hono;
	/** ID of the only calendar: the address of its owner. */
	readonly id: string;
	readonly add: (event: NewEvent) => CalendarEvent;
	/** Moves an event, as a person does in Google Calendar. */
	readonly change: (id: string, changes: Partial<NewEvent>) => void;
	/** All events, in the order in which they were added. */
	readonly events: () => CalendarEvent[];
}

const PAGE = 250;

/** Opens the API with one empty calendar. */
export function openGoogleCalendar(account: GoogleAccount): GoogleCalendar {
	const id = 'kofishop@example.com';
	const events = new Map<string, CalendarEvent>();

	function change(eventId: string, changes: Partial<NewEvent>): CalendarEvent | undefined {
		const event = events.get(eventId);
		if (!event) return undefined;
		const changed = { ...event, ...changes, updated: new Date().toISOString() };
		events.set(eventId, changed);
		return changed;
	}

	/** The event with the other fields that Google returns. */
	const shown = (event: CalendarEvent) => ({
		kind: 'calendar#event',
		etag: `"${Date.parse(event.updated)}"`,
		htmlLink: `https://www.google.com/calendar/event?eid=${event.id}`,
		creator: { email: id, self: true },
		organizer: { email: id, self: true },
		iCalUID: `${event.id}@google.com`,
		sequence: 0,
		reminders: { useDefault: true },
		eventType: 'default',
		...event,
	});

	const app = new Hono();
	app.use('/calendar/*', account.requireToken);

	app.get('/calendar/v3/users/me/calendarList', (c) =>
		c.json({
			kind: 'calendar#calendarList',
			items: [{ kind: 'calendar#calendarListEntry', id, summary: 'Kofi Shop' }],
		}),
	);

	app.get('/calendar/v3/calendars/:calendar/events', (c) => {
		if (c.req.param('calendar') !== id) return googleError(c, 404, 'NOT_FOUND', 'Not Found');
		const { timeMin, timeMax, updatedMin, orderBy, q, maxResults, pageToken } = c.req.query();
		const found = [...events.values()]
			// Google compares the end of an event with the first limit, and its start with the second.
			.filter(({ end }) => timeMin === undefined || instant(end) > Date.parse(timeMin))
			.filter(({ start }) => timeMax === undefined || instant(start) < Date.parse(timeMax))
			.filter(({ updated }) => updatedMin === undefined || Date.parse(updated) >= Date.parse(updatedMin))
			.filter((event) => q === undefined || JSON.stringify(event).toLowerCase().includes(q.toLowerCase()))
			.sort((one, other) =>
				orderBy === 'updated'
					? Date.parse(one.updated) - Date.parse(other.updated)
					: instant(one.start) - instant(other.start),
			);
		const from = Number(pageToken ?? 0);
		const to = from + Math.min(PAGE, Number(maxResults ?? PAGE));
		return c.json({
			kind: 'calendar#events',
			summary: 'Kofi Shop',
			timeZone: 'Africa/Accra',
			accessRole: 'owner',
			...(to < found.length && { nextPageToken: String(to) }),
			items: found.slice(from, to).map(shown),
		});
	});

	app.get('/calendar/v3/calendars/:calendar/events/:event', (c) => {
		const event = events.get(c.req.param('event'));
		return event ? c.json(shown(event)) : googleError(c, 404, 'NOT_FOUND', 'Not Found');
	});

	app.patch('/calendar/v3/calendars/:calendar/events/:event', async (c) => {
		const changes = writable
			.partial()
			.strict()
			.parse(await c.req.json());
		const event = change(c.req.param('event'), changes);
		return event ? c.json(shown(event)) : googleError(c, 404, 'NOT_FOUND', 'Not Found');
	});

	return {
		app,
		id,
		add(event) {
			const now = new Date().toISOString();
			const added: CalendarEvent = {
				...writable.parse(event),
				id: randomBytes(13).toString('hex'),
				status: 'confirmed',
				created: now,
				updated: now,
			};
			events.set(added.id, added);
			return added;
		},
		change: (eventId, changes) => void change(eventId, changes),
		events: () => [...events.values()],
	};
}

/** The time of a start or an end, in milliseconds. An event of a whole day starts at midnight, which is UTC in Ghana. */
const instant = ({ dateTime, date = '' }: CalendarEvent['start']) => Date.parse(dateTime ?? date);
