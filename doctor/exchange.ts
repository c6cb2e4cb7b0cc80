import {
	contract,
	createClient,
	recipientResults,
	type BatchResult,
	type Client,
	type Endpoint,
	type HttpResponse,
	type InputOf,
	type Outcome,
	type Transport,
} from '../shared';

/** One call as the client made it, with the response that it read. */
export interface Exchange {
	readonly endpoint: Endpoint;
	readonly input: Readonly<Record<string, unknown>>;
	/** Missing if no response came. */
	readonly response?: HttpResponse;
	readonly outcome: Outcome<unknown>;
}

/** Connection of the doctor to the service. */
export interface Account {
	readonly baseUrl: string;
	readonly apiKey: string;
	readonly transport: Transport;
}

/** A client whose responses can be looked at. */
export interface Recorder {
	readonly client: Client;
	/** Makes a call. @returns the call with its last response */
	ask<E extends Endpoint>(endpoint: E, input: InputOf<E>): Promise<Exchange>;
	/** The responses since the last call of this function, in order. */
	take(): HttpResponse[];
}

/**
 * Creates a client that records its responses. They stay in memory, and are never written anywhere.
 * @param attempts maximum number of attempts of one call; 1 for a call that costs something
 * @throws InputError if the base URL or the key is not valid
 */
export function createRecorder({ transport, ...account }: Account, attempts: number): Recorder {
	let taken: HttpResponse[] = [];
	const recording: Transport = {
		...transport,
		sleep: async (milliseconds, signal) => await transport.sleep(milliseconds, signal),
		send: async (request) => {
			const response = await transport.send(request);
			taken.push(response);
			return response;
		},
	};
	const client = createClient({ ...account, transport: recording, retry: { attempts } });
	const take = () => {
		const responses = taken;
		taken = [];
		return responses;
	};
	return {
		client,
		take,
		ask: async (endpoint, input) => {
			take();
			const outcome = await client.call(endpoint, input);
			return { endpoint, input, outcome, response: take().at(-1) };
		},
	};
}

/**
 * Reads another body as if the service had responded with it. This is the client itself, not a copy of its rules.
 * @param body to be read instead of the recorded one
 */
export async function readAgain(exchange: Exchange, body: unknown): Promise<Outcome<unknown>> {
	const { endpoint, input, response } = exchange;
	const transport: Transport = {
		send: () => Promise.resolve({ status: 200, headers: {}, ...response, body: JSON.stringify(body) }),
		sleep: () => Promise.resolve(),
	};
	const client = createClient({
		baseUrl: 'https://recorded.invalid',
		apiKey: 'sk_recorded',
		transport,
		retry: { attempts: 1 },
	});
	return await client.call(endpoint, input);
}

/** The outcome for the recipient. A service can accept a batch without its only recipient. */
export function outcomeOf({ endpoint, input, outcome }: Exchange): Outcome<unknown>['outcome'] {
	if (endpoint.id !== contract.sms.sendBulk.id || outcome.outcome !== 'accepted') return outcome.outcome;
	const sent = contract.sms.sendBulk.input.safeParse(input);
	const output = contract.sms.sendBulk.output.safeParse(outcome.output);
	if (!sent.success || !output.success) return outcome.outcome;
	const recipients = sent.data.to.map((to, position) => ({ to, source: 0, position }));
	const batch: BatchResult = {
		index: 0,
		outcome: 'accepted',
		output: output.data,
		input: { name: '0', input: sent.data, recipients },
	};
	const [row] = recipientResults(batch);
	return row?.outcome === 'accepted' || row?.outcome === 'unknown' ? row.outcome : 'rejected';
}
