import { timingSafeEqual } from 'node:crypto';
import { Hono, type Context } from 'hono';
import type { HonoEnv } from '../http/env';
import { HttpError } from '../http/httpError';
import { readBytes } from '../http/readBytes';
import type { IncomingEvent, StoredEvent } from './incoming';
import { recognize } from './recognize';

const CHANNELS: Readonly<Record<string, 'inboundSms' | 'inboundWhatsapp'>> = {
	sms: 'inboundSms',
	whatsapp: 'inboundWhatsapp',
};

/**
 * The URL that the service and the gateway post to: `/in/<secret>`, and `/in/<secret>/sms` or `/whatsapp` for senders
 * whose body does not say which it is. It responds 2xx only after the event is on disk.
 */
export function createIngest(): Hono<HonoEnv> {
	const app = new Hono<HonoEnv>();
	app.all('/in/:secret/:channel?', async (c) => {
		const relay = await c.var.relay();
		const channel = c.req.param('channel');
		const inboundAs = channel === undefined ? undefined : CHANNELS[channel];
		const isKnown = isSame(c.req.param('secret'), relay.ingestSecret);
		if (!isKnown || (channel !== undefined && inboundAs === undefined)) throw notFound();
		switch (c.req.method) {
			case 'POST':
				return await receive(c, inboundAs, c.req.header('content-type') ?? '', await readBytes(c));
			case 'GET':
			case 'HEAD': {
				c.header('cache-control', 'no-store');
				const query = /\?(.+)/.exec(c.req.url)?.[1];
				if (query === undefined || c.req.method === 'HEAD') return c.json({ status: 'ok', message: PROBED });
				// Some gateways send the fields like this. The query is written as a form is.
				return await receive(c, inboundAs, FORM, Buffer.from(query));
			}
			default:
				c.header('allow', 'GET, HEAD, POST');
				throw new HttpError(
					405,
					'method_not_allowed',
					'The ingest URL accepts POST, and GET with the fields in the query.',
				);
		}
	});
	app.all('/in/*', () => {
		throw notFound();
	});
	return app;
}

const FORM = 'application/x-www-form-urlencoded';

/** For a dashboard or a monitor that only looks whether the URL responds. */
const PROBED = 'This is the ingest URL. Send events to it with POST.';

/** The next step for the owner of a gateway that gets this response. */
const SEE_README = 'See “Unrecognized requests” in the README of the relay.';

/** For a request to a URL for inbound messages. */
export const UNREAD_MESSAGE = `The relay kept this request, but could not read it as a message. So no subscriber of messages gets it, and a STOP in it is not forwarded to the service. Send the fields from, to and message. ${SEE_README}`;

const UNREAD_EVENT = `The relay kept this request, but could not read it as an event of the service. So only subscribers of unrecognized requests get it. ${SEE_README}`;

async function receive(
	c: Context<HonoEnv>,
	inboundAs: 'inboundSms' | 'inboundWhatsapp' | undefined,
	contentType: string,
	bytes: Uint8Array,
): Promise<Response> {
	const began = performance.now();
	const relay = await c.var.relay();
	const { deduplicationSeconds, senderIds } = relay.services.settings;
	const events = await recognize(
		{ contentType, bytes, ...(inboundAs && { inboundAs }) },
		{ deduplicationWindowSeconds: deduplicationSeconds, senderIds },
	);
	const stored: StoredEvent[] = [];
	for (const part of inParts(events)) stored.push(...(await Promise.all(part.map(relay.store))));
	relay.services.metrics.ingested((performance.now() - began) / 1000);
	const received = { received: true, id: stored[0]?.id ?? null, duplicate: stored.every(({ duplicate }) => duplicate) };
	if (events.some(({ type }) => type === 'unrecognized')) {
		const message = inboundAs ? UNREAD_MESSAGE : UNREAD_EVENT;
		return c.json({ ...received, recognized: false, message }, 202);
	}
	return c.json(received);
}

/** Events of one request that wait for the database together. Fewer than one write takes. */
const STORED_AT_ONCE = 100;

/** Divides the events of a request. Events whose order counts, such as a STOP and a START, are in different parts. */
function inParts(events: readonly IncomingEvent[]): IncomingEvent[][] {
	const parts: IncomingEvent[][] = [];
	const keys = new Set<string>();
	for (const event of events) {
		const { orderKey } = event;
		const last = parts.at(-1);
		if (!last || last.length === STORED_AT_ONCE || (orderKey !== null && keys.has(orderKey))) {
			keys.clear();
			parts.push([event]);
		} else last.push(event);
		if (orderKey !== null) keys.add(orderKey);
	}
	return parts;
}

function notFound(): HttpError {
	return new HttpError(
		404,
		'not_found',
		'This URL does not exist, or accepts no such request. POST to the ingest URL, as the relay’s page shows it.',
	);
}

function isSame(given: string, secret: string): boolean {
	const [one, other] = [Buffer.from(given), Buffer.from(secret)];
	return one.length === other.length && timingSafeEqual(one, other);
}
