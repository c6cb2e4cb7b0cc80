import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { Fault } from '../behaviour/faults';
import { jsonReply, type Reply } from './reply';

/**
 * Lets a fault happen to a request.
 * @param outgoing Node's own answer, whose connection some faults break
 * @param handle handles the request in full; some faults never call it
 * @param stopping ends a delay early and unhandled, when the sandbox stops
 * @returns the answer to send, or undefined where the connection has been dealt with
 */
export async function playFault(
	fault: Fault,
	outgoing: ServerResponse,
	handle: () => Promise<Reply>,
	stopping: AbortSignal,
): Promise<Reply | undefined> {
	switch (fault.kind) {
		case 'answer':
			return answer(fault.status, fault.headers, fault.body);
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

function answer(status: number, headers: Readonly<Record<string, string>>, body: unknown): Reply {
	if (typeof body !== 'string') return jsonReply(status, body, headers);
	return { status, headers: { 'content-type': 'text/plain; charset=utf-8', ...headers }, body };
}

async function sendHalf({ status, headers, body }: Reply, outgoing: ServerResponse): Promise<void> {
	const bytes = Buffer.from(body);
	outgoing.writeHead(status, { ...headers, 'content-length': bytes.length });
	await new Promise((written) => outgoing.write(bytes.subarray(0, bytes.length / 2), written));
	outgoing.destroy();
}
