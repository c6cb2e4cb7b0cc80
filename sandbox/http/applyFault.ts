import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { ResponseFault } from '../simulation/faults';
import { jsonReply, type Reply } from './reply';

const HTML_PAGE = '<!doctype html><title>Bad gateway</title><h1>502 Bad Gateway</h1>';

/**
 * Applies a fault to a request.
 * @param outgoing Node's own response, whose connection some faults close
 * @param handle handles the request in full; some faults never call it
 * @param stopping ends a delay early and unhandled when the sandbox stops
 * @returns the response to send; undefined if the connection needs none
 */
export async function applyFault(
	fault: ResponseFault,
	outgoing: ServerResponse,
	handle: () => Promise<Reply>,
	stopping: AbortSignal,
): Promise<Reply | undefined> {
	switch (fault.kind) {
		case 'answer':
			return response(fault.status, fault.headers, fault.body);
		case 'html':
			return { status: fault.status, headers: { 'content-type': 'text/html; charset=utf-8' }, body: HTML_PAGE };
		case 'half_json':
			return half(await handle());
		case 'delay':
			await wait(fault.milliseconds, undefined, { signal: stopping }).catch(() => undefined);
			return stopping.aborted ? undefined : await handle();
		case 'hang':
			if (!outgoing.closed) await once(outgoing, 'close');
			return undefined;
		case 'drop_before':
			outgoing.destroy();
			return undefined;
		case 'drop_after':
			await handle();
			outgoing.destroy();
			return undefined;
		case 'truncate':
			await sendHalf(await handle(), outgoing);
			return undefined;
	}
}

function response(status: number, headers: Readonly<Record<string, string>>, body: unknown): Reply {
	if (typeof body !== 'string') return jsonReply(status, body, headers);
	return { status, headers: { 'content-type': 'text/plain; charset=utf-8', ...headers }, body };
}

function half({ body, ...reply }: Reply): Reply {
	return { ...reply, body: body.slice(0, body.length / 2) };
}

async function sendHalf({ status, headers, body }: Reply, outgoing: ServerResponse): Promise<void> {
	const bytes = Buffer.from(body);
	outgoing.writeHead(status, { ...headers, 'content-length': bytes.length });
	await new Promise((written) => outgoing.write(bytes.subarray(0, bytes.length / 2), written));
	outgoing.destroy();
}
