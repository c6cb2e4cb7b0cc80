import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { useDatabase } from '../../support/relay/databases';
import type { RelayProcess } from '../../support/relay/relayProcess';
import { gatewayEnv, sms } from '../../support/relay/gateway';
import { accept, startService, type ScriptedService } from './service';

/** Connections that a relay accepts first, one in each turn of its event loop. */
const QUEUED = 200;

describe('a request whose caller has left', () => {
	const database = useDatabase('folder');
	let service: ScriptedService;
	let relay: RelayProcess;
	let agent: Agent;

	beforeAll(async () => {
		service = await startService();
		relay = await database().startProcess({ env: gatewayEnv(service.baseUrl) });
		agent = new Agent({ keepAlive: true, maxSockets: 1 });
	});
	afterAll(async () => {
		agent.destroy();
		await service.close();
	});

	const body = JSON.stringify(sms());
	const headers = (key: string) => ({
		...{ 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) },
		...{ 'x-api-key': 'sk_sandbox_demo', 'idempotency-key': key },
	});

	/** Sends through a connection that stays open. */
	async function send(key: string): Promise<string | string[] | undefined> {
		const sent = request(`${relay.url}/api/v1/sms/send`, { method: 'POST', headers: headers(key), agent });
		const responded = new Promise<IncomingMessage>((resolve) => sent.once('response', resolve));
		sent.end(body);
		const response = await responded;
		response.resume();
		await once(response, 'end');
		return response.headers['relay-outcome'];
	}

	async function open(): Promise<Socket> {
		const socket = connect(Number(new URL(relay.url).port), '127.0.0.1');
		await once(socket, 'connect');
		return socket;
	}

	/** Sends a request, and leaves at once. */
	async function sendAndLeave(key: string): Promise<void> {
		const socket = await open();
		const lines = Object.entries(headers(key)).map(([name, value]) => `${name}: ${value}`);
		socket.end(['POST /api/v1/sms/send HTTP/1.1', 'host: relay', ...lines, '', body].join('\r\n'));
		await once(socket, 'finish');
	}

	it('is not forwarded after a later attempt was rejected, although it arrived first', async () => {
		service.respond = (response) => accept(response);
		await send('warm-up');
		service.received.length = 0;
		service.respond = (response) => {
			service.respond = (later) => accept(later);
			response.writeHead(422, { 'content-type': 'application/json' }).end('{"success":false,"message":"Wrong number"}');
		};
		// The relay reads nothing for a moment, as one with a busy processor or disk.
		process.kill(relay.pid, 'SIGSTOP');
		const queued = await Promise.all(Array.from({ length: QUEUED }, open));
		await sendAndLeave('late-1');
		const later = send('late-1');
		process.kill(relay.pid, 'SIGCONT');
		expect(await later).toBe('rejected');
		// It is accepted after the one that was late, so that one was read by then.
		const last = await open();
		last.end('GET /health HTTP/1.1\r\nhost: relay\r\nconnection: close\r\n\r\n');
		await once(last.resume(), 'end');
		await send('after');
		expect(service.received).toHaveLength(2);
		for (const socket of queued) socket.destroy();
	});
});
