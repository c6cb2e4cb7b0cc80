import { ContractError, type WalletRow } from '../../shared';
import type { Examined } from '../examine';
import type { ExaminedPaid } from '../paid/examinePaid';
import type { MissingLine } from '../missingLines';
import type { ReceivedWebhook } from '../webhooks/readWebhook';

/** The open rows of docs/assumptions.md, by their headings. */
export const headings = [
	...['Envelopes', 'Amounts and IDs', 'List envelopes', 'Limit and offset', 'Pages of contacts and sender IDs'],
	...['Timestamp names', 'Time zone', 'Later versions', 'Error fields', 'Error codes', 'Unknown IDs'],
	...['Channels that are not set up', 'Rate limits', 'Failures with status 200', 'Responses without a message ID'],
	...['Bulk responses', 'Bulk size', 'The from field', 'Message statuses', 'Other channels', 'Verification IDs'],
	...['Code check responses', 'Verification states', 'Lookup cost', 'Balance response', 'Transaction fields'],
	...['Top-up amounts', 'Top-up states', 'Wallet transactions in triggers', 'Sender ID fields', 'Contact fields'],
	...['Callback retries and signatures', 'Delivery receipt payloads', 'Low-balance alert payloads'],
	...['Inbound WhatsApp payloads', 'Opt-out keywords', 'Inbound authentication', 'Inbound responses'],
] as const;

/** One of {@link headings}. */
export type Heading = (typeof headings)[number];

/**
 * The result of a row. `ok`: the client reads it. `differs`: it reads it, but misses a part or its meaning. `unreadable`: it
 * cannot read it, so calls end in an error or are unknown.
 */
export type Verdict = 'ok' | 'differs' | 'unreadable' | 'not attempted';

/** The content of a row. */
export interface Finding {
	/** What the service does: statuses, names of fields, and types. */
	readonly service: string;
	/** How the client reads it. */
	readonly reading: string;
	readonly verdict: Verdict;
	/** What would try it, if it was not attempted. */
	readonly next?: string;
}

/** A list that was read page by page. */
export interface ExaminedPages {
	readonly first: Examined;
	readonly pages: number;
	readonly incomplete: boolean;
}

/** Everything that the rows rely on. Responses without values, and wallet rows as the client reads them. */
export interface Facts {
	readonly balance: Examined;
	readonly wrongKey: Examined;
	readonly senderIds: ExaminedPages;
	readonly contacts: ExaminedPages;
	readonly transactions: Examined;
	readonly walletRows: readonly WalletRow[];
	/** How the service follows `limit` and `offset`; `few` if there are too few different rows to see it. */
	readonly paging: 'followed' | 'limit ignored' | 'offset ignored' | 'few';
	readonly unknownIds: readonly Examined[];
	readonly emptyRequests: readonly Examined[];
	/** Lines to add to the contract, with masked names. */
	readonly missingLines: readonly MissingLine[];
	/** Names of headers in lower case. */
	readonly headerNames: ReadonlySet<string>;
	/** Missing without `--send-to`. */
	readonly paid?: ExaminedPaid;
	/** Missing without `--public-url`. */
	readonly webhooks?: readonly ReceivedWebhook[];
}

/** Makes the content of one row. */
export type Row = (facts: Facts) => Finding;

/** A row that was not attempted. */
export function notAttempted(next: string): Finding {
	return { service: 'Unknown.', reading: 'Not attempted.', verdict: 'not attempted', next };
}

/** Whether a 2xx response came that the client could not read. */
export function isUnreadable({ outcome }: Pick<Examined, 'outcome'>): boolean {
	return outcome.outcome !== 'accepted' && outcome.error instanceof ContractError;
}

/** The worst of several verdicts; those without an attempt do not count. */
export function worst(verdicts: readonly Verdict[]): Verdict {
	const order = ['unreadable', 'differs', 'ok'] as const;
	return order.find((verdict) => verdicts.includes(verdict)) ?? 'not attempted';
}

/** Reads a list of facts as one text: `a; b`. */
export function joined(texts: readonly string[]): string {
	return [...new Set(texts)].join('; ');
}

/** The response of a call, with the call's name: `GET /balance: HTTP 200 with ...`. */
export function responded(examined: Examined): string {
	return respondedAll([examined]);
}

/** The responses of several calls. Equal ones have the names of all their calls: `GET /a, GET /b: HTTP 404 with ...`. */
export function respondedAll(all: readonly Examined[]): string {
	return grouped(all.map(({ endpoint, words }) => [`${endpoint.method} ${endpoint.path}`, words]));
}

/** Writes names with a text each. Names with an equal text stand together: `a, b: text; c: other`. */
export function grouped(facts: ReadonlyArray<readonly [name: string, text: string]>): string {
	const byText = Map.groupBy(facts, ([, text]) => text);
	return [...byText]
		.map(([text, group]) => `${[...new Set(group.map(([name]) => name))].join(', ')}: ${text}`)
		.join('; ');
}
