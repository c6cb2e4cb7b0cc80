import type { WalletRow } from '../shared';
import { examine, type Examined } from './examine';
import type { Exchange } from './exchange';
import { findMissingLines, type MissingLine } from './missingLines';
import { examinePaid } from './paid/examinePaid';
import type { PaidProbes } from './paid/probePaid';
import type { FreeProbes, ListedPages } from './probes';
import type { NameMask } from './publicNames';
import type { ExaminedPages, Facts } from './rows/row';
import { isJsonObject } from './structure';
import type { ReceivedWebhook } from './webhooks/readWebhook';

/** Everything that one run has collected. */
export interface Collected {
	readonly free: FreeProbes;
	readonly paid?: PaidProbes;
	readonly webhooks?: readonly ReceivedWebhook[];
}

/** Reduces all responses to what the rows need. */
export async function collectFacts({ free, paid, webhooks }: Collected, mask: NameMask): Promise<Facts> {
	const one = async (exchange: Exchange) => await examine(exchange, mask);
	const all = async (exchanges: readonly Exchange[]) => {
		const examined: Examined[] = [];
		for (const exchange of exchanges) examined.push(await one(exchange));
		return examined;
	};
	const list = async ({ first, pages, incomplete }: ListedPages): Promise<ExaminedPages> => ({
		first: await one(first),
		pages,
		incomplete,
	});
	return {
		balance: await one(free.balance),
		wrongKey: await one(free.wrongKey),
		senderIds: await list(free.senderIds),
		contacts: await list(free.contacts),
		transactions: await one(free.transactions),
		walletRows: rowsOf(free.transactions),
		paging: pagingOf(free),
		unknownIds: await all(free.unknownIds),
		emptyRequests: await all(free.emptyRequests),
		missingLines: await missingLinesOf({ free, paid }, mask),
		headerNames: new Set(free.headers.flatMap((headers) => Object.keys(headers))),
		...(paid && { paid: await examinePaid(paid, mask) }),
		...(webhooks && { webhooks }),
	};
}

/** The calls that should have a result come first, because the lines for errors are the least important. */
async function missingLinesOf({ free, paid }: Collected, mask: NameMask): Promise<MissingLine[]> {
	const { balance, senderIds, contacts, transactions, wrongKey, unknownIds, emptyRequests } = free;
	const sends = paid?.channels.flatMap(({ send, statuses }) => [...(send ? [send] : []), ...statuses]) ?? [];
	const rejected = [wrongKey, ...unknownIds, ...emptyRequests].filter(({ response }) => (response?.status ?? 0) >= 300);
	const exchanges = [balance, senderIds.first, contacts.first, transactions, ...sends, ...rejected];
	return await findMissingLines(exchanges, mask);
}

/** The client has read the rows, so their fields have the types of the contract. */
function rowsOf({ outcome }: Exchange): WalletRow[] {
	if (outcome.outcome !== 'accepted' || !Array.isArray(outcome.output)) return [];
	return outcome.output.filter(isJsonObject);
}

function pagingOf({ transactions, oneTransaction, secondTransaction }: FreeProbes): Facts['paging'] {
	const [all, first, second] = [transactions, oneTransaction, secondTransaction].map(rowsOf);
	if (!all || !first || !second || all.length < 3) return 'few';
	const [newest, next] = all.map((row) => JSON.stringify(row));
	if (newest === next) return 'few';
	if (first.length !== 1) return 'limit ignored';
	return JSON.stringify(first) === JSON.stringify(second) ? 'offset ignored' : 'followed';
}
