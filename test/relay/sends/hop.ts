import { EventEmitter, once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { cut, pass, startHttpProxy, type ProxiedRequest } from '../../support/httpProxy';

/** The reaction of the proxy to one request. */
export type HopReaction =
	| 'pass'
	/** Cuts the connection without forwarding. */
	| 'cut before'
	/** Forwards, and cuts the connection after the response of the relay arrived. */
	| 'cut after'
	/** Forwards, and cuts in the middle of the body. */
	| 'truncate'
	/** Forwards, and never responds. */
	| 'hang'
	/** Keeps the request until `release`, and passes it then. */
	| 'hold'
	/** Keeps the request until `release`, and cuts its connection. */
	| 'hold and cut'
	/** Responds itself, after it forwarded or without. */
	| HopPage;

/** A response of something between the client and the relay. */
export interface HopPage {
	readonly page: number;
	readonly forwards: boolean;
	/** Default: those of a web page. */
	readonly headers?: Readonly<Record<string, string>>;
	/** Default: a web page. */
	readonly body?: string;
}

/** A proxy between a client and a relay, or between a relay and the service. */
export interface Hop extends AsyncDisposable {
	/** The base URL for a client. */
	readonly baseUrl: string;
	/** Requests that arrived. */
	readonly received: readonly ProxiedRequest[];
	/** Calls of the service's API among them. */
	readonly calls: () => Hop['received'];
	/** Reactions to the next calls. After the last one, all pass. */
	readonly plan: (...reactions: HopReaction[]) => void;
	/** Reactions to the next other requests, such as those that look for a relay. After the last one, all pass. */
	readonly planOthers: (...reactions: HopReaction[]) => void;
	/** Waits until so many requests arrived. */
	readonly arrived: (count: number) => Promise<void>;
	/** Waits until so many calls arrived. */
	readonly called: (count: number) => Promise<void>;
	/** Waits until so many calls were forwarded, and the server behind responded. */
	readonly forwarded: (count: number) => Promise<void>;
	/** Passes the requests that are held. @returns the status of each response of the server behind */
	readonly release: () => Promise<number[]>;
	/** Forgets all requests and plans. */
	readonly reset: () => void;
	/** The server behind it, without a slash at the end. */
	target: string;
}

/**
 * Starts a proxy on a free port of this machine.
 * @param target the server behind it, without a slash at the end
 */
export async function startHop(target: string): Promise<Hop> {
	const received: ProxiedRequest[] = [];
	const events = new EventEmitter();
	let held: Array<() => Promise<number>> = [];
	let forCalls: HopReaction[] = [];
	let forOthers: HopReaction[] = [];
	let forwarded = 0;

	async function forward(request: ProxiedRequest): ReturnType<ProxiedRequest['forward']> {
		const passed = await request.forward(hop.target);
		if (isCall(request)) {
			forwarded += 1;
			events.emit('forwarded');
		}
		return passed;
	}

	async function react(reaction: HopReaction, request: ProxiedRequest, response: ServerResponse): Promise<void> {
		if (reaction === 'hold' || reaction === 'hold and cut') {
			held.push(async () => {
				const passed = await forward(request);
				if (reaction === 'hold') pass(response, passed);
				return passed.status;
			});
			if (reaction === 'hold and cut') cut(response);
			return;
		}
		if (reaction === 'cut before') {
			cut(response);
			return;
		}
		if (typeof reaction === 'object') {
			if (reaction.forwards) await forward(request);
			showPage(response, reaction);
			return;
		}
		const passed = await forward(request);
		if (reaction === 'cut after') cut(response);
		else if (reaction === 'truncate') pass(response, passed, Math.floor(passed.body.length / 2));
		else if (reaction === 'pass') pass(response, passed);
	}

	const proxy = await startHttpProxy(async (request, response) => {
		received.push(request);
		events.emit('arrived');
		const reaction = (isCall(request) ? forCalls : forOthers).shift() ?? 'pass';
		// As a proxy does if the relay is away.
		await react(reaction, request, response).catch(() => showPage(response, { page: 502, forwards: true }));
	});
	const hop: Hop = {
		baseUrl: `${proxy.url}/api/v1/`,
		received,
		calls: () => received.filter(isCall),
		plan: (...next) => (forCalls = next),
		planOthers: (...next) => (forOthers = next),
		async arrived(count) {
			while (received.length < count) await once(events, 'arrived');
		},
		async called(count) {
			while (hop.calls().length < count) await once(events, 'arrived');
		},
		async forwarded(count) {
			while (forwarded < count) await once(events, 'forwarded');
		},
		async release() {
			const released = held;
			held = [];
			return await Promise.all(released.map(async (forwardHeld) => await forwardHeld()));
		},
		reset() {
			received.length = 0;
			forwarded = 0;
			held = [];
			forCalls = [];
			forOthers = [];
		},
		target,
		[Symbol.asyncDispose]: proxy.close,
	};
	return hop;
}

/** A client that looks for a relay makes no call. */
function isCall({ path, headers }: Pick<ProxiedRequest, 'path' | 'headers'>): boolean {
	return path.startsWith('/api/') && headers['relay-attempt'] !== '0';
}

function showPage(response: ServerResponse, { page, headers, body }: HopPage): void {
	const html = { 'content-type': 'text/html' };
	response.writeHead(page, headers ?? html).end(body ?? `<h1>${page} from a proxy</h1>`);
}
