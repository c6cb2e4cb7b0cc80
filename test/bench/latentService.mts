import { readFileSync } from 'node:fs';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod/v4';
import { contract } from '../../shared';

/**
 * A bare server that responds as the service and Twilio do, after a latency that its parent process sets. It serves plain
 * HTTP. With files of a key and a certificate as arguments, it also serves TLS through a proxy that ends all tunnels here,
 * whatever their host. At each order of the parent, it reports the requests since the last one.
 */
let latencyMs = 0;
let received = 0;
let recipients = new Set<string>();
let inFlight = 0;
let mostInFlight = 0;

const sms = z.object({ to: z.string() });
const bulk = z.object({ to: z.array(z.string()) });

function answerTo(path: string, body: string): unknown {
	if (path.endsWith('/sms/send')) {
		const { to } = sms.parse(JSON.parse(body));
		recipients.add(to);
		return { ...contract.sms.send.example.output, message_id: to };
	}
	if (path.endsWith('/sms/bulk')) return { success: true, queued: bulk.parse(JSON.parse(body)).to.length };
	return { sid: new URLSearchParams(body).get('To'), status: 'queued', price: null, num_segments: '1' };
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
	inFlight++;
	mostInFlight = Math.max(mostInFlight, inFlight);
	let body = '';
	for await (const part of request.setEncoding('utf8')) body += String(part);
	if (latencyMs > 0) await wait(latencyMs);
	received++;
	inFlight--;
	const text = JSON.stringify(answerTo(String(request.url), body));
	response.setHeader('Content-Type', 'application/json').end(text);
}

function listen(server: Server): Promise<number> {
	return new Promise((resolve) => {
		// A node that sends all items at the same time opens a connection for each.
		server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => resolve((server.address() as AddressInfo).port));
	});
}

const onRequest = (request: IncomingMessage, response: ServerResponse) => void answer(request, response);

function startProxy(keyFile: string, certificateFile: string): Server {
	const tls = createHttpsServer({ key: readFileSync(keyFile), cert: readFileSync(certificateFile) }, onRequest);
	return createHttpServer().on('connect', (_, socket) => {
		socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
		tls.emit('connection', socket);
	});
}

const order = z.object({ latencyMs: z.number() });
process.on('message', (message) => {
	latencyMs = order.parse(message).latencyMs;
	process.send?.({ received, recipients: recipients.size, mostInFlight });
	received = 0;
	recipients = new Set();
	mostInFlight = 0;
});
const [keyFile, certificateFile] = process.argv.slice(2);
const plainPort = await listen(createHttpServer(onRequest));
const proxy = keyFile !== undefined && certificateFile !== undefined && startProxy(keyFile, certificateFile);
process.send?.({ plainPort, ...(proxy && { proxyPort: await listen(proxy) }) });
