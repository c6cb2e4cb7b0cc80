import { z } from 'zod/v4';
import { contract, type Endpoint, type HttpResponse, type ListEndpoint } from '../shared';
import { createRecorder, type Account, type Exchange, type Recorder } from './exchange';

/** A list that was read page by page. */
export interface ListedPages {
	readonly first: Exchange;
	readonly pages: number;
	/** Whether the service has more rows than the client could read. */
	readonly incomplete: boolean;
}

/** The calls that cost nothing. */
export interface FreeProbes {
	readonly balance: Exchange;
	readonly wrongKey: Exchange;
	readonly senderIds: ListedPages;
	readonly contacts: ListedPages;
	/** Without limit and offset, with limit 1, and with limit 1 and offset 1. */
	readonly transactions: Exchange;
	readonly oneTransaction: Exchange;
	readonly secondTransaction: Exchange;
	/** Reads of IDs that do not exist. */
	readonly unknownIds: readonly Exchange[];
	/** Requests without a single field. */
	readonly emptyRequests: readonly Exchange[];
	/** Headers of all responses. */
	readonly headers: ReadonlyArray<HttpResponse['headers']>;
}

/** An ID that no service gave: services count up, or choose at random. */
const UNKNOWN_ID = 'doctor-unknown-id';

/** The highest ID in most databases. */
const UNKNOWN_NUMBER = 2_147_483_647;

/**
 * Requests without any field that the doctor makes, and why none of them can cost money. A lookup is not among them,
 * because some services charge for failed lookups.
 */
const EMPTY_REQUESTS: ReadonlyArray<readonly [endpoint: Endpoint, why: string]> = [
	[contract.sms.send, 'There is no recipient, so no gateway can accept it, and only accepted messages are charged.'],
	[contract.sms.sendBulk, 'There is no recipient, so there is nothing to queue or charge.'],
	[contract.whatsapp.send, 'There is no recipient.'],
	[contract.email.send, 'There is no recipient.'],
	[contract.voice.send, 'There is no number to call.'],
	[contract.verification.check, 'Checking a code is free, and there is no code.'],
	[contract.wallet.createTopUp, 'There is no amount, and only a payer at the checkout pays.'],
];

/** What the doctor asks by default, and why each request is free. For the report. */
export const FREE_REQUESTS: ReadonlyArray<readonly [request: string, why: string]> = [
	...[contract.wallet.getBalance, contract.senderId.list, contract.contact.list, contract.wallet.listTransactions].map(
		({ method, path }) => [`${method} ${path}`, 'It only reads.'] as const,
	),
	['GET /balance with a wrong key', 'It only reads, and the key belongs to no one.'],
	...[contract.sms.get, contract.message.get, contract.wallet.getTopUp].map(
		({ method, path }) => [`${method} ${path} with an unknown ID`, 'It only reads.'] as const,
	),
	['POST /verify/check with an unknown ID', 'Checking a code is free, and no code belongs to the ID.'],
	...EMPTY_REQUESTS.map(([{ method, path }, why]) => [`${method} ${path} without any field`, why] as const),
];

/** The same endpoint without a check of the input, because the client lets no invalid input leave. */
function unchecked(endpoint: Endpoint): Endpoint {
	return { ...endpoint, input: z.looseObject({}) };
}

/**
 * Makes all calls that cost nothing, one after the other.
 * @param balance the first call, which was made to check the key
 */
export async function probeFree(account: Account, recorder: Recorder, balance: Exchange): Promise<FreeProbes> {
	const headers: Array<HttpResponse['headers']> = [];
	const keep = (exchange: Exchange) => {
		if (exchange.response) headers.push(exchange.response.headers);
		return exchange;
	};
	const ask = async (endpoint: Endpoint, input: Readonly<Record<string, unknown>>) =>
		keep(await recorder.ask(endpoint, input));
	keep(balance);
	const unauthenticated = createRecorder({ ...account, apiKey: wrongKey(account.apiKey) }, 2);
	const wrong = keep(await unauthenticated.ask(contract.wallet.getBalance, {}));
	const senderIds = await readPages(recorder, contract.senderId.list);
	const contacts = await readPages(recorder, contract.contact.list);
	keep(senderIds.first);
	keep(contacts.first);
	const { listTransactions } = contract.wallet;
	const unknownIds = [
		await ask(contract.sms.get, { id: UNKNOWN_ID }),
		await ask(contract.message.get, { id: UNKNOWN_ID }),
		await ask(contract.wallet.getTopUp, { reference: UNKNOWN_ID }),
		await ask(contract.verification.check, { verification_id: UNKNOWN_NUMBER, code: '000000' }),
	];
	const emptyRequests: Exchange[] = [];
	for (const [endpoint] of EMPTY_REQUESTS) emptyRequests.push(await ask(unchecked(endpoint), {}));
	return {
		balance,
		wrongKey: wrong,
		senderIds,
		contacts,
		transactions: await ask(listTransactions, {}),
		oneTransaction: await ask(listTransactions, { limit: 1, offset: 0 }),
		secondTransaction: await ask(listTransactions, { limit: 1, offset: 1 }),
		unknownIds,
		emptyRequests,
		headers,
	};
}

/** A key that belongs to no one. It keeps the prefix, because a sandbox key may go over plain http. */
function wrongKey(apiKey: string): string {
	const prefix = apiKey.trim().startsWith('sk_sandbox_') ? 'sk_sandbox_' : 'sk_';
	return `${prefix}doctor_wrong_key`;
}

async function readPages(recorder: Recorder, endpoint: ListEndpoint): Promise<ListedPages> {
	const first = await recorder.ask(endpoint, {});
	const all = await recorder.client.readAll(endpoint, { timeLimitMs: 30_000 });
	const pages = recorder.take().length;
	return { first, pages, incomplete: all.outcome === 'accepted' && all.output.incomplete !== undefined };
}
