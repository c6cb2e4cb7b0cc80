import type { Examined } from '../examine';
import {
	isUnreadable,
	joined,
	notAttempted,
	responded,
	respondedAll,
	worst,
	type Facts,
	type Finding,
	type Row,
	type Verdict,
} from './row';

const PAID = 'Run the doctor with `--send-to NUMBER --max-spend AMOUNT`.';

/** The responses that should have a single record. A send that the service rejected has none. */
function recordsOf({ balance, paid }: Facts): Examined[] {
	const sent = paid?.channels.flatMap(({ send, statuses }) => [...(send ? [send] : []), ...statuses]) ?? [];
	return [balance, ...sent.filter(hasRecord)];
}

function hasRecord({ outcome }: Examined): boolean {
	return outcome.outcome !== 'rejected' || isUnreadable({ outcome });
}

function verdictOf(examined: Examined): Verdict {
	if (examined.outcome.outcome === 'accepted') return 'ok';
	return isUnreadable(examined) || examined.outcome.outcome === 'unknown' ? 'unreadable' : 'differs';
}

const envelopes: Row = (facts) => {
	const records = recordsOf(facts);
	const read = records.filter(({ outcome }) => outcome.outcome === 'accepted');
	const places = read.flatMap(({ endpoint, placesOf }) =>
		['balance', 'message_id', 'status', 'verification_id', 'batch_id', 'valid'].flatMap((field) =>
			placesOf(field).map((place) => `\`${field}\` of ${endpoint.method} ${endpoint.path} at ${place}`),
		),
	);
	return {
		service: respondedAll(records),
		reading: places.length > 0 ? `Reads ${joined(places)}.` : 'Finds no record.',
		verdict: worst(records.map(verdictOf)),
	};
};

const AMOUNTS = ['balance', 'amount', 'cost', 'fee', 'amount_credit'];
const IDS = ['id', 'message_id', 'verification_id', 'batch_id', 'reference'];

const amountsAndIds: Row = (facts) => {
	const all = [...recordsOf(facts), facts.transactions, facts.contacts.first];
	const found = (fields: readonly string[]) =>
		all.flatMap(({ endpoint, placesOf }) =>
			fields.flatMap((field) => placesOf(field).map((place) => `${place} of ${endpoint.path}`)),
		);
	const [amounts, ids] = [found(AMOUNTS), found(IDS)];
	const balanceRead = facts.balance.outcome.outcome === 'accepted';
	return {
		service: respondedAll([facts.balance, facts.transactions, facts.contacts.first]),
		reading: joined([
			amounts.length > 0 ? `Amounts at ${joined(amounts)}` : 'No amount can be read',
			ids.length > 0 ? `IDs at ${joined(ids)}` : 'No ID can be read',
		]),
		verdict: balanceRead ? 'ok' : amounts.length > 0 ? 'differs' : 'unreadable',
	};
};

const listEnvelopes: Row = ({ senderIds, contacts, transactions }) => {
	const lists = [senderIds.first, contacts.first, transactions];
	return {
		service: respondedAll(lists),
		reading: joined(
			lists.map(({ endpoint, outcome }) =>
				outcome.outcome === 'accepted' ? `${endpoint.path} is a list` : `${endpoint.path} cannot be read as a list`,
			),
		),
		verdict: worst(lists.map(verdictOf)),
	};
};

const limitAndOffset: Row = ({ transactions, paging }): Finding => {
	if (transactions.outcome.outcome !== 'accepted') {
		return { service: responded(transactions), reading: 'No page can be read.', verdict: verdictOf(transactions) };
	}
	const next = 'Run the doctor again when the wallet has at least three different transactions.';
	switch (paging) {
		case 'few':
			return { ...notAttempted(next), service: 'The transactions do not show it.' };
		case 'followed':
			return {
				service: 'Follows `limit` and `offset`.',
				reading: 'Sends both, and reads all pages.',
				verdict: 'ok',
			};
		default:
			return {
				service: paging === 'limit ignored' ? 'Ignores `limit`.' : 'Follows `limit`, and ignores `offset`.',
				reading: 'Reads the pages that come, and stops at a repeated page.',
				verdict: 'differs',
			};
	}
};

const pages: Row = ({ contacts, senderIds }) => {
	const lists = [contacts, senderIds];
	const one = ({ first, pages, incomplete }: Facts['contacts']): Finding => {
		const { path } = first.endpoint;
		if (first.outcome.outcome !== 'accepted') {
			return { service: responded(first), reading: `${path} cannot be read`, verdict: verdictOf(first) };
		}
		const service = pages > 1 ? `${path} has several pages` : `${path} has one page`;
		if (!incomplete) return { service, reading: `Reads all of ${path}`, verdict: 'ok' };
		return {
			service: `${path} says that there are more rows`,
			reading: `Reads only a part of ${path}`,
			verdict: 'differs',
		};
	};
	const findings = lists.map(one);
	return {
		service: joined(findings.map(({ service }) => service)),
		reading: joined(findings.map(({ reading }) => reading)),
		verdict: worst(findings.map(({ verdict }) => verdict)),
	};
};

const timestampNames: Row = ({ paid }) => {
	const statuses = paid?.channels.flatMap((channel) => channel.statuses).filter(hasRecord) ?? [];
	if (statuses.length === 0) return notAttempted(PAID);
	return {
		service: respondedAll(statuses.slice(-1)),
		reading: 'Passes all timestamps through, whatever their names.',
		verdict: worst(statuses.map(verdictOf)),
	};
};

const timeZone: Row = ({ paid }) => {
	const minutes = paid?.zoneMinutes;
	if (minutes === undefined) return notAttempted(PAID);
	const service =
		minutes === 0
			? 'Timestamps of a new message are in UTC, which is the time in Ghana.'
			: `Timestamps of a new message are ${minutes} minutes ahead of UTC.`;
	return {
		service,
		reading: '`schedule_at` is sent in the zone Africa/Accra, unless you set another zone.',
		verdict: minutes === 0 ? 'ok' : 'differs',
	};
};

const laterVersions: Row = ({ headerNames }) => {
	const announced = ['deprecation', 'sunset'].filter((name) => headerNames.has(name));
	if (announced.length === 0)
		return notAttempted('It cannot be seen from outside. Read the announcements of the service.');
	return {
		service: `Responses have the header ${joined(announced)}.`,
		reading: 'Ignores it. Version 1 may end.',
		verdict: 'differs',
	};
};

/** Rows about the bodies of responses. */
export const bodyRows = {
	Envelopes: envelopes,
	'Amounts and IDs': amountsAndIds,
	'List envelopes': listEnvelopes,
	'Limit and offset': limitAndOffset,
	'Pages of contacts and sender IDs': pages,
	'Timestamp names': timestampNames,
	'Time zone': timeZone,
	'Later versions': laterVersions,
} satisfies Record<string, Row>;
