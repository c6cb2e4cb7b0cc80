import { messageStage, transactionKind, type RecordedPath, type RecordedShapes } from '../shared';
import type { Examined } from './examine';
import { isPublicWord } from './publicNames';
import { isUnreadable, type Facts } from './rows/row';
import type { Source } from './sources';
import { isJsonObject } from './structure';

/** Records the shapes of all responses, without values, so that the sandbox can respond in them. */
export function recordShapes(facts: Facts): RecordedShapes {
	const { balance, senderIds, contacts, transactions, wrongKey, unknownIds, emptyRequests, paid } = facts;
	const sends = paid?.channels.flatMap(({ send, statuses }) => [...(send ? [send] : []), ...statuses]) ?? [];
	const responses: RecordedShapes['responses'] = {};
	for (const examined of [balance, senderIds.first, contacts.first, transactions, ...sends]) {
		if (!isSuccess(examined) || isEmptyList(examined)) continue;
		responses[examined.endpoint.id] = {
			...bodyOf(examined),
			...placesIn(examined),
		};
	}
	const errors = [
		{ examined: wrongKey, code: 'invalid_key' },
		...unknownIds.map((examined) => ({ examined, code: 'not_found' })),
		...emptyRequests.map((examined) => ({ examined, code: isMissing(examined) ? 'channel_not_set_up' : 'validation' })),
	];
	return {
		version: 1,
		responses,
		errors: errors
			.filter(({ examined }) => examined.status !== undefined)
			.map(({ examined, code }) => ({ endpoint: examined.endpoint.id, code, ...bodyOf(examined) })),
		words: wordsOf(facts, sends),
	};
}

function isSuccess({ status = 0, outcome, ...examined }: Examined): boolean {
	const read = outcome.outcome !== 'rejected' || isUnreadable({ ...examined, outcome });
	return read && status >= 200 && status < 300;
}

function isEmptyList({ outcome }: Examined): boolean {
	return outcome.outcome === 'accepted' && Array.isArray(outcome.output) && outcome.output.length === 0;
}

function isMissing({ outcome }: Examined): boolean {
	return outcome.outcome === 'rejected' && outcome.error.meaning === 'channel_not_set_up';
}

function bodyOf({ status = 200, template, other }: Examined) {
	return { status, ...(template !== undefined && { body: template }), ...(other !== undefined && { other }) };
}

function placesIn({ endpoint, sources }: Examined) {
	const isList = endpoint.response.kind === 'list';
	const rowsEnd = isList ? (sources[0]?.path.findIndex((part) => typeof part === 'number') ?? -1) : -1;
	const fields: Record<string, RecordedPath[]> = {};
	const inRow = ({ path }: Source) => (rowsEnd >= 0 ? path.slice(rowsEnd + 1) : path);
	for (const source of sources) {
		if (source.field.startsWith('error.')) continue;
		fields[source.field] = [...(fields[source.field] ?? []), [...inRow(source)]];
	}
	return { fields, ...(rowsEnd >= 0 && { rows: sources[0]?.path.slice(0, rowsEnd) ?? [] }) };
}

/** The sandbox's words for kinds of transactions. */
const TYPES: Readonly<Record<string, string>> = {
	topup: 'topup',
	charge: 'debit',
	refund: 'refund',
	adjustment: 'adjustment',
};

function wordsOf({ transactions, walletRows, senderIds }: Facts, sends: readonly Examined[]): RecordedShapes['words'] {
	const words: Record<string, Record<string, string>> = {};
	const add = (endpoint: string, ours: string | undefined, theirs: unknown) => {
		if (ours === undefined || typeof theirs !== 'string' || !isPublicWord(theirs)) return;
		words[endpoint] = { ...words[endpoint], [ours]: theirs };
	};
	for (const row of walletRows) add(transactions.endpoint.id, TYPES[transactionKind(row)], row.type);
	const { outcome, endpoint } = senderIds.first;
	const rows = outcome.outcome === 'accepted' ? outcome.output : undefined;
	const first: unknown = Array.isArray(rows) ? rows[0] : undefined;
	if (isJsonObject(first)) add(endpoint.id, 'approved', first.status);
	for (const { endpoint, outcome } of sends) {
		if (outcome.outcome !== 'accepted' || !isJsonObject(outcome.output)) continue;
		const { status } = outcome.output;
		if (typeof status === 'string') add(endpoint.id, messageStage(status), status);
	}
	return words;
}
